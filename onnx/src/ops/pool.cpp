#include "ops/all.h"
#include "ops/padding.h"
#include "ops/pool_attributes.h"

namespace strata::onnx {

Pool parse_window(NodeArgs& node, PoolKind kind) {
  Pool pool{.kind = kind, .kernel = node.required_integers("kernel_shape")};
  pool.strides = node.integers("strides").value_or(Shape{});
  pool.padding = parse_padding(node);
  return pool;
}

WindowRounding parse_rounding(NodeArgs& node) {
  return node.flag("ceil_mode", false) ? WindowRounding::ceil : WindowRounding::floor;
}

namespace {

/// The last two are the versions that brought `ceil_mode` and `dilations`.
Pool parse_pool(NodeArgs& node, PoolKind kind, int rounded_since, int dilated_since) {
  node.expect_inputs(1, 1);
  Pool pool = parse_window(node, kind);
  if (node.version() >= rounded_since) pool.rounding = parse_rounding(node);
  if (node.version() >= dilated_since)
    pool.dilations = node.integers("dilations").value_or(Shape{});
  return pool;
}

hir::InferenceOp parse_max_pool(NodeArgs& node) {
  Pool pool = parse_pool(node, PoolKind::max, 10, 10);
  if (node.version() < 8) return hir::Direct{pool};
  const bool by_columns = node.flag("storage_order", false);
  if (node.has_output(1))
    pool.indices = by_columns ? PoolIndices::column_major : PoolIndices::row_major;
  return hir::Direct{pool};
}

hir::InferenceOp parse_average_pool(NodeArgs& node) {
  Pool pool = parse_pool(node, PoolKind::average, 10, 19);
  if (node.version() >= 7) pool.count_padding = node.flag("count_include_pad", false);
  return hir::Direct{pool};
}

hir::InferenceOp parse_lp_pool(NodeArgs& node) {
  Pool pool = parse_pool(node, PoolKind::lp, 18, 18);
  pool.p = node.version() == 1 ? node.number("p", 2) : static_cast<double>(node.integer("p", 2));
  return hir::Direct{pool};
}

}  // namespace

void register_pool(Registry& r) {
  r.add("AveragePool", {1, 7, 10, 11, 19, 22}, parse_average_pool);
  r.add("LpPool", {1, 2, 11, 18, 22}, parse_lp_pool);
  r.add("MaxPool", {1, 8, 10, 11, 12, 22}, parse_max_pool);
}

}  // namespace strata::onnx
