#include "support/hir_case.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/hir/inference_model.h"
#include "support/op_case.h"

namespace strata::tests {
namespace {

/// What is declared of the inputs.
enum class Operands { at_run_time, constant, without_shape };

hir::InferenceFact declared(const Value& input, Operands operands) {
  hir::InferenceFact fact(Fact::of(input).without_value());
  return operands == Operands::without_shape ? hir::without_shapes(fact) : fact;
}

TypedModel typed(const hir::InferenceOp& op, const std::vector<std::optional<Value>>& inputs,
                 std::size_t outputs, Operands operands) {
  hir::InferenceModel model;
  OutletIds wires;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = cat("in", i);
    if (!inputs[i])
      wires.push_back(kAbsent);
    else if (i > 0 && operands == Operands::constant)
      wires.push_back(model.add_const(name, *inputs[i]));
    else
      wires.push_back(model.add_source(name, declared(*inputs[i], operands)));
  }
  const std::uint32_t id =
      model.add_node("node", op, wires, std::vector<hir::InferenceFact>(outputs));
  for (std::uint32_t slot = 0; slot < outputs; ++slot)
    model.add_output(cat("out", slot), {id, slot});
  model.analyse();
  return model.to_typed();
}

void check_model(TypedModel model, const char* operands,
                 const std::vector<std::optional<Value>>& inputs, const ValueList& expected) {
  ValueList given;
  for (const auto& input : inputs)
    if (input) given.push_back(*input);
  given.resize(model.inputs().size());
  const auto check = [&](const char* what) {
    INFO(what, ", ", operands);
    const ValueList actual = run_model(model, given);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) check_close(actual[i], expected[i]);
  };
  check("as expanded");
  declutter(model);
  check("decluttered");
}

/// The model without shapes; nothing where the op has to know them.
std::optional<TypedModel> undeclared_model(const hir::InferenceOp& op,
                                           const std::vector<std::optional<Value>>& inputs,
                                           std::size_t outputs) {
  try {
    return typed(op, inputs, outputs, Operands::without_shape);
  } catch (const Error& error) {
    CHECK(error.kind() != ErrorKind::internal);
    return std::nullopt;
  }
}

}  // namespace

void check_inference_op(const hir::InferenceOp& op, const std::vector<std::optional<Value>>& inputs,
                        const ValueList& expected, Undeclared undeclared) {
  const std::size_t outputs = expected.size();
  check_model(typed(op, inputs, outputs, Operands::at_run_time), "operands at run time", inputs,
              expected);
  check_model(typed(op, inputs, outputs, Operands::constant), "constant operands", inputs,
              expected);
  if (undeclared == Undeclared::unspecified) return;
  auto model = undeclared_model(op, inputs, outputs);
  CHECK((model || undeclared == Undeclared::right_or_refused));
  if (model) check_model(std::move(*model), "operands of undeclared shapes", inputs, expected);
}

}  // namespace strata::tests
