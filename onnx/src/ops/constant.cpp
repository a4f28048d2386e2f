#include "strata/hir/ops/constant.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/hir/ops/constant_of_shape.h"

namespace strata::onnx {
namespace {

void check_one_value(const NodeArgs& node) {
  std::string_view found;
  for (const std::string_view name : {"value", "sparse_value", "value_float", "value_floats",
                                      "value_int", "value_ints", "value_string", "value_strings"}) {
    if (!node.has(name)) continue;
    check(found.empty(), "Constant has two values, ", in_quotes(found), " and ", in_quotes(name));
    found = name;
  }
}

/// The value in the one attribute that has it.
Tensor value_of(NodeArgs& node) {
  if (node.version() < 11) return node.required_tensor("value");
  if (auto tensor = node.tensor("value")) return *std::move(tensor);
  if (auto sparse = node.tensor("sparse_value")) return *std::move(sparse);
  if (node.version() >= 12) {
    if (const auto number = node.number("value_float"))
      return Tensor::scalar(static_cast<float>(*number));
    if (const auto numbers = node.numbers("value_floats")) return vector_of(*numbers);
    if (const auto integer = node.integer("value_int")) return Tensor::scalar(*integer);
    if (const auto integers = node.integers("value_ints")) return integers_tensor(*integers);
    if (const auto text = node.text("value_string")) return Tensor::scalar(*text);
    if (const auto texts = node.texts("value_strings")) return vector_of(*texts);
  }
  fail(ErrorKind::invalid_model, "Constant has no value");
}

hir::InferenceOp parse_constant(NodeArgs& node) {
  node.expect_inputs(0, 0);
  check_one_value(node);
  return hir::Constant{value_of(node)};
}

hir::InferenceOp parse_constant_of_shape(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const auto value = node.tensor("value");
  return hir::ConstantOfShape{value ? *value : Tensor::scalar(0.0f)};
}

}  // namespace

void register_constant(Registry& r) {
  r.add("Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, parse_constant);
  r.add("ConstantOfShape", {9, 20, 21, 23, 24, 25}, parse_constant_of_shape);
}

}  // namespace strata::onnx
