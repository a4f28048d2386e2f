#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/core/ops/one_hot.h"
#include "strata/core/ops/trilu.h"
#include "strata/hir/ops/eye_like.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_eye_like(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::EyeLike{node.dtype("dtype"), node.integer("k", 0)};
}

hir::InferenceOp parse_one_hot(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::Direct{OneHot{node.integer("axis", -1)}};
}

hir::InferenceOp parse_trilu(NodeArgs& node) {
  node.expect_inputs(1, 2);
  return hir::Direct{Trilu{node.flag("upper", true) ? Triangle::upper : Triangle::lower}};
}

}  // namespace

void register_matrix_fill(Registry& r) {
  r.add("EyeLike", {9, 22}, parse_eye_like);
  r.add("OneHot", {9, 11, 28}, parse_one_hot);
  r.add("Trilu", {14}, parse_trilu);
  r.add_to(kContrib, "Trilu", {1}, parse_trilu);
}

}  // namespace strata::onnx
