#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_expand_dims(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{Unsqueeze{}};
}

hir::InferenceOp parse_trilu(NodeArgs& node) {
  node.expect_inputs(1, 2);
  return hir::Direct{Trilu{node.flag("upper", true) ? Triangle::upper : Triangle::lower}};
}

}  // namespace

void register_contrib_shape(Registry& r) {
  r.add_to(kContrib, "ExpandDims", {1}, parse_expand_dims);
  r.add_to(kContrib, "Trilu", {1}, parse_trilu);
}

}  // namespace strata::onnx
