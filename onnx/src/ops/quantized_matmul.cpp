#include "strata/hir/ops/quantized_matmul.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_matmul_integer(NodeArgs& node) {
  node.expect_inputs(2, 4);
  return hir::MatMulInteger{};
}

hir::InferenceOp parse_qlinear_matmul(NodeArgs& node) {
  node.expect_inputs(8, 8);
  return hir::QLinearMatMul{};
}

}  // namespace

void register_quantized_matmul(Registry& r) {
  r.add("MatMulInteger", {10}, parse_matmul_integer);
  r.add("QLinearMatMul", {10, 21}, parse_qlinear_matmul);
}

}  // namespace strata::onnx
