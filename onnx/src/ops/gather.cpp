#include "strata/core/ops/gather.h"

#include "ops/all.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/gather_nd.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_gather(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{Gather{node.integer("axis", 0)}};
}

hir::InferenceOp parse_gather_elements(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{GatherElements{node.integer("axis", 0)}};
}

hir::InferenceOp parse_gather_nd(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{GatherNd{node.version() >= 12 ? node.integer("batch_dims", 0) : 0}};
}

}  // namespace

void register_gather(Registry& r) {
  r.add("Gather", {1, 11, 13}, parse_gather);
  r.add("GatherElements", {11, 13}, parse_gather_elements);
  r.add("GatherND", {11, 12, 13}, parse_gather_nd);
}

}  // namespace strata::onnx
