#include "support/hir_case.h"

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/hir/inference_model.h"
#include "support/op_case.h"

namespace strata::tests {
namespace {

enum class Operands { at_run_time, constant };

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
      wires.push_back(
          model.add_source(name, hir::InferenceFact(Fact::of(*inputs[i]).without_value())));
  }
  const std::uint32_t id =
      model.add_node("node", op, wires, std::vector<hir::InferenceFact>(outputs));
  for (std::uint32_t slot = 0; slot < outputs; ++slot)
    model.add_output(cat("out", slot), {id, slot});
  model.analyse();
  return model.to_typed();
}

}  // namespace

void check_inference_op(const hir::InferenceOp& op, const std::vector<std::optional<Value>>& inputs,
                        const ValueList& expected) {
  ValueList given;
  for (const auto& input : inputs)
    if (input) given.push_back(*input);
  for (const Operands operands : {Operands::at_run_time, Operands::constant}) {
    TypedModel model = typed(op, inputs, expected.size(), operands);
    if (operands == Operands::constant) given.resize(model.inputs().size());
    const auto check = [&](const char* what) {
      INFO(what, operands == Operands::constant ? ", constant operands" : ", operands at run time");
      const ValueList actual = run_model(model, given);
      REQUIRE(actual.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) check_close(actual[i], expected[i]);
    };
    check("as expanded");
    declutter(model);
    check("decluttered");
  }
}

}  // namespace strata::tests
