#include "strata/core/ops/unary.h"

#include "ops/all.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

/// An op that is a row of core's family, and when the standard changed it.
struct Row {
  std::string_view name;
  UnaryOp op;
  std::initializer_list<int> versions;
};

constexpr Row kRows[] = {
    {"Abs", UnaryOp::abs, {1, 6, 13}},
    {"Acos", UnaryOp::acos, {7, 22}},
    {"Acosh", UnaryOp::acosh, {9, 22}},
    {"Asin", UnaryOp::asin, {7, 22}},
    {"Asinh", UnaryOp::asinh, {9, 22}},
    {"Atan", UnaryOp::atan, {7, 22}},
    {"Atanh", UnaryOp::atanh, {9, 22}},
    {"BitwiseNot", UnaryOp::bitwise_not, {18}},
    {"Ceil", UnaryOp::ceil, {1, 6, 13}},
    {"Cos", UnaryOp::cos, {7, 22}},
    {"Cosh", UnaryOp::cosh, {9, 22}},
    {"Erf", UnaryOp::erf, {9, 13}},
    {"Exp", UnaryOp::exp, {1, 6, 13}},
    {"Floor", UnaryOp::floor, {1, 6, 13}},
    {"HardSwish", UnaryOp::hard_swish, {14, 22}},
    {"IsNaN", UnaryOp::is_nan, {9, 13, 20}},
    {"Log", UnaryOp::log, {1, 6, 13}},
    {"Mish", UnaryOp::mish, {18, 22}},
    {"Neg", UnaryOp::neg, {1, 6, 13}},
    {"Not", UnaryOp::truth_not, {1}},
    {"Reciprocal", UnaryOp::reciprocal, {1, 6, 13}},
    {"Relu", UnaryOp::relu, {1, 6, 13, 14}},
    {"Round", UnaryOp::round, {11, 22}},
    {"Sigmoid", UnaryOp::sigmoid, {1, 6, 13}},
    {"Sign", UnaryOp::sign, {9, 13}},
    {"Sin", UnaryOp::sin, {7, 22}},
    {"Sinh", UnaryOp::sinh, {9, 22}},
    {"Softplus", UnaryOp::softplus, {1, 22}},
    {"Softsign", UnaryOp::softsign, {1, 22}},
    {"Sqrt", UnaryOp::sqrt, {1, 6, 13}},
    {"Tan", UnaryOp::tan, {7, 22}},
    {"Tanh", UnaryOp::tanh, {1, 6, 13}},
};

hir::InferenceOp parse_unary(NodeArgs& node) {
  node.expect_inputs(1, 1);
  if (node.version() == 1) node.ignore("consumed_inputs");
  for (const Row& row : kRows)
    if (row.name == node.op_type())
      return hir::Elementwise{Unary{row.op},
                              row.op == UnaryOp::is_nan ? hir::Typing::other : hir::Typing::same};
  fail(ErrorKind::internal, node.op_type(), " has no row");
}

hir::InferenceOp parse_is_inf(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::IsInf{node.flag("detect_positive", true), node.flag("detect_negative", true)};
}

hir::InferenceOp parse_gelu(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const std::string approximate = node.text("approximate", "none");
  check(approximate == "none" || approximate == "tanh", "gelu is not approximated by ",
        in_quotes(approximate));
  return hir::Elementwise{Unary{approximate == "tanh" ? UnaryOp::gelu_tanh : UnaryOp::gelu}};
}

hir::InferenceOp parse_identity(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Identity{};
}

}  // namespace

void register_unary(Registry& r) {
  for (const Row& row : kRows) r.add(row.name, row.versions, parse_unary);
  r.add("IsInf", {10, 20}, parse_is_inf);
  r.add("Gelu", {20}, parse_gelu);
  r.add("Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, parse_identity);
}

}  // namespace strata::onnx
