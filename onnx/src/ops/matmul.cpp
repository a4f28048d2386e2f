#include "strata/hir/ops/matmul.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_matmul(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::MatMul{};
}

}  // namespace

void register_matmul(Registry& r) { r.add("MatMul", {1, 9, 13}, parse_matmul); }

}  // namespace strata::onnx
