#include "strata/hir/ops/global_pool.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

template <PoolKind kind>
hir::InferenceOp parse_global_pool(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::GlobalPool{kind};
}

hir::InferenceOp parse_global_lp_pool(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const double p =
      node.version() == 1 ? node.number("p", 2) : static_cast<double>(node.integer("p", 2));
  return hir::GlobalPool{PoolKind::lp, p};
}

}  // namespace

void register_global_pool(Registry& r) {
  r.add("GlobalAveragePool", {1, 22}, parse_global_pool<PoolKind::average>);
  r.add("GlobalLpPool", {1, 2, 22}, parse_global_lp_pool);
  r.add("GlobalMaxPool", {1, 22}, parse_global_pool<PoolKind::max>);
}

}  // namespace strata::onnx
