#include "known_operands.h"

#include <algorithm>

#include "runner.h"
#include "specialise.h"
#include "strata/core/transform.h"

namespace strata {
namespace {

constexpr std::int64_t kMostOperand = 64;   ///< elements; what is larger is data
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

/// The runner for these operands, of which it keeps copies: the caller may overwrite a model's
/// input before the next run.
std::unique_ptr<Runner> runner_for(const TypedNode& node, Values inputs, const Plan& plan) {
  TypedModel model;
  OutletIds in;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = inputs[i].tensor();
    const std::string name = cat(node.name, ".operand.", i);
    if (is_operand(i, tensor)) {
      in.push_back(model.constant(name, MutableTensor::copy_of(tensor).freeze()));
    } else {
      in.push_back(model.add_source(name, Fact::tensor(tensor.dtype(), tensor.shape())));
      shapes.push_back(tensor.shape());
    }
  }
  try {
    const OutletIds out = model.wire(node.name, node.op, in);
    for (std::size_t i = 0; i < out.size(); ++i) model.add_output(cat(node.name, '.', i), out[i]);
    declutter(model, plan.limits());
    optimise(model, target_of(plan.model()), plan.limits());
    if (!may_specialise(model)) return nullptr;
    return laid_out(std::move(model), shapes, plan.limits());
  } catch (const Error&) {
    return nullptr;  // the op itself reports what is wrong
  }
}

}  // namespace

KnownOperands::KnownOperands(const TypedNode& node, const Plan& plan)
    : node_(&node), plan_(&plan) {}
KnownOperands::~KnownOperands() = default;
KnownOperands::KnownOperands(KnownOperands&&) noexcept = default;

std::optional<ValueList> KnownOperands::run(RunContext& context, Values inputs) {
  if (!are_worth_it(inputs)) return std::nullopt;
  Runner* const runner =
      runners_.find(key_of(inputs), [&] { return runner_for(*node_, inputs, *plan_); });
  if (!runner) return std::nullopt;
  ValueList others;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!is_operand(i, inputs[i].tensor())) others.push_back(inputs[i]);
  return runner->run(context, others);
}

void KnownOperands::release_memory() {
  runners_.for_each([](Runner& runner) { runner.release_memory(); });
}

}  // namespace strata
