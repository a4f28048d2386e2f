#include "known_operands.h"

#include <algorithm>

#include "runner.h"
#include "specialise.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

constexpr int kRunsBefore = 2;  ///< with the same operands, before a kernel is worth the time
constexpr std::size_t kMostKeys = 4;
constexpr std::int64_t kMostOperand = 64;   ///< elements; what is larger is no operand
constexpr std::int64_t kLeastInput = 1024;  ///< elements of what is worth a kernel

bool is_operand(std::size_t i, const Tensor& tensor) {
  return i > 0 && tensor.size() <= kMostOperand && bit_width(tensor.dtype()) >= 8;
}

bool are_worth_it(Values inputs) {
  const auto is_tensor = [](const Value& value) { return value.is_tensor(); };
  return !inputs.empty() && std::ranges::all_of(inputs, is_tensor) &&
         inputs[0].tensor().size() >= kLeastInput;
}

std::string key_of(Values inputs) {
  std::string key;
  const auto add = [&](std::span<const std::byte> bytes) {
    key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = inputs[i].tensor();
    key += static_cast<char>(tensor.rank());
    add(std::as_bytes(std::span(tensor.shape())));
    if (is_operand(i, tensor)) add(tensor.bytes());
  }
  return key;
}

/// A tensor of its own memory: that of a model's input may be written anew for the next run.
Tensor copy_of(const Tensor& tensor) {
  MutableTensor out(tensor.dtype(), tensor.shape());
  std::ranges::copy(tensor.bytes(), out.bytes().begin());
  return std::move(out).freeze();
}

std::unique_ptr<Runner> runner_for(const TypedNode& node, Values inputs, const Limits& limits) {
  TypedModel model;
  OutletIds in;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = inputs[i].tensor();
    const std::string name = cat(node.name, ".operand.", i);
    if (is_operand(i, tensor)) {
      in.push_back(model.constant(name, copy_of(tensor)));
    } else {
      in.push_back(model.add_source(name, Fact::tensor(tensor.dtype(), tensor.shape())));
      shapes.push_back(tensor.shape());
    }
  }
  try {
    const OutletIds out = model.wire(node.name, node.op, in);
    for (std::size_t i = 0; i < out.size(); ++i) model.add_output(cat(node.name, '.', i), out[i]);
    declutter(model, limits);
    optimise(model, {}, limits);
    if (!may_specialise(model)) return nullptr;
    auto runner = std::make_unique<Runner>(Plan::build(std::move(model), limits));
    return runner->frame().bind(shapes) ? std::move(runner) : nullptr;
  } catch (const Error&) {
    return nullptr;  // the op says what is wrong
  }
}

}  // namespace

KnownOperands::KnownOperands(const TypedNode& node, const Limits& limits)
    : node_(&node), limits_(limits) {}
KnownOperands::~KnownOperands() = default;
KnownOperands::KnownOperands(KnownOperands&&) noexcept = default;

Runner* KnownOperands::find(Values inputs) {
  std::string key = key_of(inputs);
  for (const Entry& entry : entries_)
    if (entry.key == key) return entry.runner.get();
  if (entries_.size() == kMostKeys) return nullptr;
  if (key != last_) last_ = std::move(key), runs_ = 0;
  if (runs_++ < kRunsBefore) return nullptr;
  entries_.push_back({last_, runner_for(*node_, inputs, limits_)});
  return entries_.back().runner.get();
}

std::optional<ValueList> KnownOperands::run(RunContext& context, Values inputs) {
  Runner* const runner = are_worth_it(inputs) ? find(inputs) : nullptr;
  if (!runner) return std::nullopt;
  ValueList others;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!is_operand(i, inputs[i].tensor())) others.push_back(inputs[i]);
  return runner->run(context, others);
}

}  // namespace strata
