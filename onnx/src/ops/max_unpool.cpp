#include "strata/core/ops/max_unpool.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_max_unpool(NodeArgs& node) {
  node.expect_inputs(2, 3);
  return hir::Direct{MaxUnpool{node.required_integers("kernel_shape"),
                               node.integers("strides").value_or(Shape{}),
                               node.integers("pads").value_or(Shape{})}};
}

}  // namespace

void register_max_unpool(Registry& r) { r.add("MaxUnpool", {9, 11, 22}, parse_max_unpool); }

}  // namespace strata::onnx
