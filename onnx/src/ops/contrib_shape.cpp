#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_expand_dims(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{Unsqueeze{}};
}

}  // namespace

void register_contrib_shape(Registry& r) {
  r.add_to(kContrib, "ExpandDims", {1}, parse_expand_dims);
}

}  // namespace strata::onnx
