#include "ops/all.h"
#include "ops/named.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/scatter_nd.h"
#include "strata/core/ops/tensor_scatter.h"

namespace strata::onnx {
namespace {

/// Version 16 brought sums and products, version 18 the extremes.
ScatterReduction parse_reduction(NodeArgs& node) {
  if (node.version() < 16) return ScatterReduction::none;
  const auto reduction = named(node, "reduction", ScatterReduction::none);
  const bool extreme = reduction == ScatterReduction::max || reduction == ScatterReduction::min;
  check(!extreme || node.version() >= 18, "max and min came with version 18 of the op, this is ",
        node.version());
  return reduction;
}

hir::InferenceOp parse_scatter_elements(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::Direct{ScatterElements{node.integer("axis", 0), parse_reduction(node)}};
}

hir::InferenceOp parse_scatter_nd(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::Direct{ScatterNd{parse_reduction(node)}};
}

hir::InferenceOp parse_tensor_scatter(NodeArgs& node) {
  node.expect_inputs(2, 3);
  return hir::Direct{
      TensorScatter{node.integer("axis", -2), named(node, "mode", ScatterWrap::linear)}};
}

}  // namespace

void register_scatter(Registry& r) {
  r.add("Scatter", {9, 11}, parse_scatter_elements);
  r.add("ScatterElements", {11, 13, 16, 18}, parse_scatter_elements);
  r.add("ScatterND", {11, 13, 16, 18}, parse_scatter_nd);
  r.add("TensorScatter", {24}, parse_tensor_scatter);
}

}  // namespace strata::onnx
