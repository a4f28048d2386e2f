#include "ops/all.h"
#include "ops/contrib.h"
#include "ops/pool_attributes.h"
#include "ops/recurrent_layer.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/unary.h"
#include "strata/hir/ops/binary.h"
#include "strata/hir/ops/concat.h"
#include "strata/hir/ops/dynamic_quantize_lstm.h"
#include "strata/hir/ops/elementwise.h"
#include "strata/hir/ops/global_pool.h"
#include "strata/hir/ops/quantize.h"
#include "strata/hir/ops/quantized_op.h"
#include "strata/hir/ops/reduce.h"
#include "strata/hir/ops/scaled_integer_product.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_binary(NodeArgs& node) {
  node.expect_inputs(7, 8, {2, 5});
  const BinaryOp op = node.op_type() == "QLinearAdd" ? BinaryOp::add : BinaryOp::mul;
  return hir::QuantizedOp{hir::Binary{op, std::nullopt}};
}

hir::InferenceOp parse_sigmoid(NodeArgs& node) {
  node.expect_inputs(4, 5, {2});
  return hir::QuantizedOp{hir::Elementwise{Unary{UnaryOp::sigmoid}}};
}

hir::InferenceOp parse_leaky_relu(NodeArgs& node) {
  node.expect_inputs(4, 5, {2});
  const auto alpha = static_cast<float>(node.number("alpha", 0.01));
  return hir::QuantizedOp{hir::Elementwise{Activation{ActivationKind::leaky_relu, alpha}}};
}

hir::InferenceOp parse_softmax(NodeArgs& node) {
  node.expect_inputs(5, 5, {2});
  hir::Softmax op{SoftmaxKind::softmax, node.integer("axis", -1)};
  if (node.required_integer("opset") < 13) op.extent = hir::SoftmaxExtent::axis_and_after;
  return hir::QuantizedOp{op};
}

hir::InferenceOp parse_concat(NodeArgs& node) {
  node.expect_inputs(5, SIZE_MAX);
  check(node.input_count() % 3 == 2, "QLinearConcat takes a scale, a zero point and three inputs ",
        "for each part, ", node.input_count(), " inputs given");
  node.expect_inputs(node.input_count(), node.input_count());
  return hir::QuantizedOp{hir::Concat{node.required_integer("axis")}, 0, hir::ResultScale::first};
}

hir::InferenceOp parse_where(NodeArgs& node) {
  node.expect_inputs(9, 9);
  return hir::QuantizedOp{hir::Direct{Select{}}, 1};
}

hir::InferenceOp parse_average_pool(NodeArgs& node) {
  node.expect_inputs(4, 5, {2});
  refuse_flag(node, "channels_last");
  Pool pool = parse_window(node, PoolKind::average);
  pool.rounding = parse_rounding(node);
  pool.count_padding = node.flag("count_include_pad", false);
  return hir::QuantizedOp{hir::Direct{pool}};
}

hir::InferenceOp parse_global_average_pool(NodeArgs& node) {
  node.expect_inputs(5, 5);
  refuse_flag(node, "channels_last");
  return hir::QuantizedOp{hir::GlobalPool{PoolKind::average}};
}

hir::InferenceOp parse_matmul_integer_to_float(NodeArgs& node) {
  node.expect_inputs(4, 7);
  return hir::MatMulIntegerToFloat{};
}

hir::InferenceOp parse_dynamic_quantize_matmul(NodeArgs& node) {
  node.expect_inputs(3, 5);
  return hir::DynamicQuantizeMatMul{};
}

hir::InferenceOp parse_gemm(NodeArgs& node) {
  node.expect_inputs(6, 9);
  return hir::QuantizedGemm{node.number("alpha", 1), node.flag("transA", false),
                            node.flag("transB", false)};
}

hir::InferenceOp parse_lstm(NodeArgs& node) {
  node.expect_inputs(12, 12, {3, 4, 5, 6, 7});
  using enum hir::GateFunctionKind;
  hir::Lstm lstm{parse_recurrent(node, {sigmoid, tanh, tanh})};
  if (node.flag("input_forget", false)) lstm.forget_gate = hir::Lstm::ForgetGate::coupled;
  return hir::DynamicQuantizeLstm{lstm};
}

hir::InferenceOp parse_quantize(NodeArgs& node) {
  node.expect_inputs(2, 3);
  hir::QuantizeLinear op;
  op.axis = node.integer("axis", 1);
  return op;
}

hir::InferenceOp parse_dequantize(NodeArgs& node) {
  node.expect_inputs(2, 3);
  hir::DequantizeLinear op;
  op.axis = node.integer("axis", 1);
  return op;
}

}  // namespace

void register_contrib_quantized(Registry& r) {
  const auto add = [&](std::string_view name, ParseOp parse) {
    r.add_to(kContrib, name, {1}, parse);
  };
  add("DequantizeLinear", parse_dequantize);
  add("DynamicQuantizeLSTM", parse_lstm);
  add("DynamicQuantizeMatMul", parse_dynamic_quantize_matmul);
  add("MatMulIntegerToFloat", parse_matmul_integer_to_float);
  add("QGemm", parse_gemm);
  add("QLinearAdd", parse_binary);
  add("QLinearAveragePool", parse_average_pool);
  add("QLinearConcat", parse_concat);
  add("QLinearGlobalAveragePool", parse_global_average_pool);
  add("QLinearLeakyRelu", parse_leaky_relu);
  add("QLinearMul", parse_binary);
  add("QLinearSigmoid", parse_sigmoid);
  add("QLinearSoftmax", parse_softmax);
  add("QLinearWhere", parse_where);
  add("QuantizeLinear", parse_quantize);
}

}  // namespace strata::onnx
