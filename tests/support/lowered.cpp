#include "support/lowered.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

namespace strata::tests {
namespace {

enum class Sizes { fixed, symbolic };

/// A model of this one op; its inputs are those operands that are no constants.
TypedModel model_of(const TypedOp& op, const std::vector<KernelOperand>& operands, Sizes sizes) {
  TypedModel model;
  OutletIds wires;
  for (const KernelOperand& operand : operands) {
    const std::string name = cat("x", wires.size());
    if (operand.constant) {
      wires.push_back(model.constant(name, operand.value));
      continue;
    }
    std::vector<Dim> dims(operand.value.shape().begin(), operand.value.shape().end());
    const bool lists_axes = !wires.empty() && dims.size() == 1 && is_integer(operand.value.dtype());
    if (sizes == Sizes::symbolic && !lists_axes)
      for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = Dim::symbol(cat("S", i, name));
    wires.push_back(model.add_source(name, Fact::tensor(operand.value.dtype(), dims)));
  }
  const OutletIds outputs = model.wire("y", op, wires);
  for (std::size_t i = 0; i < outputs.size(); ++i) model.add_output(cat("y", i), outputs[i]);
  return model;
}

/// The outputs, or why there are none.
struct Outcome {
  std::optional<ValueList> outputs;
  std::string error;
};

template <class Run>
Outcome attempt(const Run& run) {
  try {
    return {run(), ""};
  } catch (const Error& error) {
    CHECK(error.kind() != ErrorKind::internal);
    return {std::nullopt, error.what()};
  }
}

/// Whether the node reads the operands as they are: not one of them twice, or others.
bool reads_operands(const TypedModel& model, const TypedNode& node,
                    const std::vector<KernelOperand>& operands) {
  const std::set<OutletId> distinct(node.inputs.begin(), node.inputs.end());
  if (node.inputs.size() != operands.size() || distinct.size() != operands.size()) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Tensor* constant = model.fact(node.inputs[i]).constant();
    if (constant && !(Value(*constant) == Value(operands[i].value))) return false;
    if (!constant && !model.node(node.inputs[i].node).op.as<Source>()) return false;
  }
  return true;
}

void check_same(const Outcome& a, const Outcome& e, KernelTolerance tolerance) {
  const auto &actual = a.outputs, &expected = e.outputs;
  INFO(a.error, e.error);
  CHECK(actual.has_value() == expected.has_value());
  if (!actual || !expected) return;
  REQUIRE(actual->size() == expected->size());
  for (std::size_t i = 0; i < actual->size(); ++i) {
    if (!((*actual)[i] == (*expected)[i]))  // NaN has many bits
      check_close((*actual)[i], (*expected)[i], tolerance.relative, tolerance.absolute);
  }
}

void check_with(const TypedOp& op, const std::vector<KernelOperand>& operands, Sizes sizes,
                std::string_view kernel, KernelTolerance tolerance) {
  CAPTURE(sizes == Sizes::symbolic);
  ValueList all, given;
  for (const KernelOperand& operand : operands) {
    all.push_back(operand.value);
    if (!operand.constant) given.push_back(operand.value);
  }
  const Outcome expected = attempt([&] { return op.eval(all); });
  TypedModel model;
  const Outcome wired = attempt([&] {
    model = model_of(op, operands, sizes);
    return ValueList{};
  });
  if (!wired.outputs) {  // the facts tell already
    CHECK(!expected.outputs);
    return;
  }
  optimise(model);
  const auto& nodes = model.nodes();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const TypedNode& node) {
    return node.op && (kernel == kAnyKernel ? node.op.has_kernel() : node.op.name() == kernel);
  });
  REQUIRE(found != nodes.end());
  check_same(attempt([&] { return run_model(model, given); }), expected, tolerance);
  if (reads_operands(model, *found, operands))
    check_same(attempt([&] { return found->op.eval(all); }), expected, tolerance);
}

}  // namespace

void check_lowered(const TypedOp& op, const std::vector<KernelOperand>& operands,
                   std::string_view kernel, KernelTolerance tolerance) {
  for (const Sizes sizes : {Sizes::fixed, Sizes::symbolic})
    check_with(op, operands, sizes, kernel, tolerance);
}

void check_lowered_when_fixed(const TypedOp& op, const std::vector<KernelOperand>& operands,
                              std::string_view kernel, KernelTolerance tolerance) {
  check_with(op, operands, Sizes::fixed, kernel, tolerance);
}

Shape Noise::shape(std::size_t rank, std::int64_t least, std::int64_t greatest) {
  Shape out;
  for (std::size_t i = 0; i < rank; ++i) out.push_back(number(least, greatest));
  return out;
}

Tensor Noise::tensor(DatumType type, const Shape& shape) {
  MutableTensor out(DatumType::f64, shape);
  for (double& x : out.as<double>()) {
    x = static_cast<double>(number(is_unsigned_integer(type) ? 0 : -9, 9));
    if (type == DatumType::boolean) x = static_cast<double>(number(0, 1));
    if (is_float(type)) x /= 2;
    if (bit_width(type) > 16 && number(0, 9) == 0) x *= 1001;
  }
  return cast(std::move(out).freeze(), type);
}

Tensor Noise::integers(DatumType type, const std::vector<std::int64_t>& values) {
  return cast(Tensor::vector<std::int64_t>(values), type);
}

}  // namespace strata::tests
