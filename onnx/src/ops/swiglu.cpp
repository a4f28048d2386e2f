#include "strata/hir/ops/swiglu.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_swiglu(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::SwiGlu{static_cast<float>(node.number("alpha", 1))};
}

}  // namespace

void register_swiglu(Registry& r) { r.add("SwiGLU", {28}, parse_swiglu); }

}  // namespace strata::onnx
