#include "strata/hir/ops/reduce.h"

#include "ops/all.h"
#include "strata/core/ops/cumulate.h"

namespace strata::onnx {
namespace {

/// An op that is a row of core's family; from version `axes_input` on the axes are an input.
struct Row {
  std::string_view name;
  Reduction op;
  int axes_input;
  std::initializer_list<int> versions;
};

constexpr Row kRows[] = {
    {"ReduceL1", Reduction::l1, 18, {1, 11, 13, 18}},
    {"ReduceL2", Reduction::l2, 18, {1, 11, 13, 18}},
    {"ReduceLogSum", Reduction::log_sum, 18, {1, 11, 13, 18, 28}},
    {"ReduceLogSumExp", Reduction::log_sum_exp, 18, {1, 11, 13, 18, 28}},
    {"ReduceMax", Reduction::max, 18, {1, 11, 12, 13, 18, 20}},
    {"ReduceMean", Reduction::mean, 18, {1, 11, 13, 18}},
    {"ReduceMin", Reduction::min, 18, {1, 11, 12, 13, 18, 20}},
    {"ReduceProd", Reduction::prod, 18, {1, 11, 13, 18}},
    {"ReduceSum", Reduction::sum, 13, {1, 11, 13}},
    {"ReduceSumSquare", Reduction::sum_square, 18, {1, 11, 13, 18}},
};

hir::InferenceOp parse_reduce(NodeArgs& node) {
  for (const Row& row : kRows) {
    if (row.name != node.op_type()) continue;
    const bool by_input = node.version() >= row.axes_input;
    node.expect_inputs(1, by_input ? 2 : 1);
    Reduce op{row.op, node.flag("keepdims", true)};
    if (!by_input) return hir::Reduce{op, node.integers("axes").value_or(Shape{})};
    if (node.flag("noop_with_empty_axes", false)) op.no_axes = NoAxes::means_none;
    return hir::Reduce{op, {}};
  }
  fail(ErrorKind::internal, node.op_type(), " has no row");
}

hir::InferenceOp parse_arg_reduce(NodeArgs& node) {
  node.expect_inputs(1, 1);
  ArgReduce op{node.op_type() == "ArgMax" ? Extreme::max : Extreme::min, node.integer("axis", 0),
               node.flag("keepdims", true)};
  if (node.version() >= 12 && node.flag("select_last_index", false)) op.tie = Tie::last;
  return hir::ArgReduce{op};
}

hir::InferenceOp parse_cumulate(NodeArgs& node) {
  node.expect_inputs(2, 2);
  const Cumulation op = node.op_type() == "CumSum" ? Cumulation::sum : Cumulation::prod;
  return hir::Direct{Cumulate{op, node.flag("exclusive", false), node.flag("reverse", false)}};
}

hir::InferenceOp parse_softmax(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const SoftmaxKind op = node.op_type() == "Softmax"   ? SoftmaxKind::softmax
                         : node.op_type() == "Hardmax" ? SoftmaxKind::hardmax
                                                       : SoftmaxKind::log_softmax;
  if (node.version() >= 13) return hir::Softmax{op, node.integer("axis", -1)};
  return hir::Softmax{op, node.integer("axis", 1), hir::SoftmaxExtent::axis_and_after};
}

}  // namespace

void register_reduce(Registry& r) {
  for (const Row& row : kRows) r.add(row.name, row.versions, parse_reduce);
  r.add("ArgMax", {1, 11, 12, 13}, parse_arg_reduce);
  r.add("ArgMin", {1, 11, 12, 13}, parse_arg_reduce);
  r.add("CumProd", {26}, parse_cumulate);
  r.add("CumSum", {11, 14}, parse_cumulate);
  r.add("Hardmax", {1, 11, 13}, parse_softmax);
  r.add("LogSoftmax", {1, 11, 13}, parse_softmax);
  r.add("Softmax", {1, 11, 13}, parse_softmax);
}

}  // namespace strata::onnx
