#include "strata/hir/ops/binary.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

/// An op that is a row of core's family, and when the standard changed it.
struct Row {
  std::string_view name;
  BinaryOp op;
  std::initializer_list<int> versions;
};

constexpr Row kRows[] = {
    {"Add", BinaryOp::add, {1, 6, 7, 13, 14}},
    {"And", BinaryOp::truth_and, {1, 7}},
    {"BitwiseAnd", BinaryOp::bit_and, {18}},
    {"BitwiseOr", BinaryOp::bit_or, {18}},
    {"BitwiseXor", BinaryOp::bit_xor, {18}},
    {"Div", BinaryOp::div, {1, 6, 7, 13, 14}},
    {"Equal", BinaryOp::equal, {1, 7, 11, 13, 19}},
    {"Greater", BinaryOp::greater, {1, 7, 9, 13}},
    {"GreaterOrEqual", BinaryOp::greater_or_equal, {12, 16}},
    {"Less", BinaryOp::less, {1, 7, 9, 13}},
    {"LessOrEqual", BinaryOp::less_or_equal, {12, 16}},
    {"Mul", BinaryOp::mul, {1, 6, 7, 13, 14}},
    {"Or", BinaryOp::truth_or, {1, 7}},
    {"Sub", BinaryOp::sub, {1, 6, 7, 13, 14}},
    {"Xor", BinaryOp::truth_xor, {1, 7}},
};

/// The axis of the first operand that the second one's first axis meets: before version 7
/// broadcasting was asked for.
std::optional<std::int64_t> old_axis(NodeArgs& node) {
  if (node.version() >= 7) return std::nullopt;
  if (node.version() == 1 && node.has("consumed_inputs")) node.ignore("consumed_inputs");
  const auto axis = node.integer("axis");
  return node.flag("broadcast", false) ? axis : std::nullopt;
}

hir::InferenceOp parse_binary(NodeArgs& node) {
  node.expect_inputs(2, 2);
  for (const Row& row : kRows)
    if (row.name == node.op_type()) return hir::Binary{row.op, old_axis(node)};
  fail(ErrorKind::internal, node.op_type(), " has no row");
}

hir::InferenceOp parse_pow(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Pow{old_axis(node)};
}

hir::InferenceOp parse_mod(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Binary{node.flag("fmod", false) ? BinaryOp::fmod : BinaryOp::mod, std::nullopt};
}

hir::InferenceOp parse_bit_shift(NodeArgs& node) {
  node.expect_inputs(2, 2);
  const std::string direction = node.text("direction", "");
  check(direction == "LEFT" || direction == "RIGHT", "bits are not shifted to ",
        in_quotes(direction));
  return hir::Binary{direction == "LEFT" ? BinaryOp::shift_left : BinaryOp::shift_right,
                     std::nullopt};
}

hir::InferenceOp parse_prelu(NodeArgs& node) {
  node.expect_inputs(2, 2);
  if (node.version() == 1) node.ignore("consumed_inputs");
  return hir::PRelu{node.version() < 7 ? hir::SlopeLayout::per_channel
                                       : hir::SlopeLayout::broadcast};
}

hir::InferenceOp parse_variadic(NodeArgs& node) {
  node.expect_inputs(1, SIZE_MAX);
  if (node.version() == 1) node.ignore("consumed_inputs");
  if (node.op_type() == "Max") return hir::Variadic{BinaryOp::max};
  if (node.op_type() == "Min") return hir::Variadic{BinaryOp::min};
  return hir::Variadic{BinaryOp::add,
                       node.op_type() == "Mean" ? hir::Divisor::count : hir::Divisor::one};
}

}  // namespace

void register_binary(Registry& r) {
  for (const Row& row : kRows) r.add(row.name, row.versions, parse_binary);
  r.add("BitShift", {11, 28}, parse_bit_shift);
  r.add("Max", {1, 6, 8, 12, 13}, parse_variadic);
  r.add("Mean", {1, 6, 8, 13}, parse_variadic);
  r.add("Min", {1, 6, 8, 12, 13}, parse_variadic);
  r.add("Mod", {10, 13, 28}, parse_mod);
  r.add("PRelu", {1, 6, 7, 9, 16}, parse_prelu);
  r.add("Pow", {1, 7, 12, 13, 15}, parse_pow);
  r.add("Sum", {1, 6, 8, 13}, parse_variadic);
}

}  // namespace strata::onnx
