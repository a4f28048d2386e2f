#include "strata/hir/ops/concat.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_concat(NodeArgs& node) {
  node.expect_inputs(1, SIZE_MAX);
  // Version 1 joined axis 1 unless told otherwise.
  if (node.version() == 1) return hir::Concat{node.integer("axis", 1)};
  return hir::Concat{node.required_integer("axis")};
}

}  // namespace

void register_concat(Registry& r) { r.add("Concat", {1, 4, 11, 13}, parse_concat); }

}  // namespace strata::onnx
