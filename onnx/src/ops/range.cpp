#include "strata/core/ops/range.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_range(NodeArgs& node) {
  node.expect_inputs(3, 3);
  // The type that narrow floats are computed in; the reference computes in double.
  if (node.version() >= 27) node.ignore("stash_type");
  return hir::Direct{Range{}};
}

}  // namespace

void register_range(Registry& r) { r.add("Range", {11, 27}, parse_range); }

}  // namespace strata::onnx
