#include <limits>

#include "ops/all.h"
#include "ops/contrib.h"
#include "ops/conv_attributes.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/unary.h"
#include "strata/hir/ops/block_quantized_matmul.h"
#include "strata/hir/ops/elementwise.h"
#include "strata/hir/ops/fused_matmul.h"
#include "strata/hir/ops/gather_block_quantized.h"
#include "strata/hir/ops/gemm.h"

namespace strata::onnx {
namespace {

/// The function that a fused op names, with these parameters for those it has.
std::optional<hir::InferenceOp> activation(std::string_view name, const std::vector<float>& given) {
  const auto parameter = [&](std::size_t i, float otherwise) {
    return i < given.size() ? given[i] : otherwise;
  };
  const auto with = [&](ActivationKind kind, float alpha, float beta) {
    return hir::Elementwise{Activation{kind, parameter(0, alpha), parameter(1, beta)}};
  };
  if (name.empty()) return std::nullopt;
  if (name == "Relu") return hir::Elementwise{Unary{UnaryOp::relu}};
  if (name == "Sigmoid") return hir::Elementwise{Unary{UnaryOp::sigmoid}};
  if (name == "Softplus") return hir::Elementwise{Unary{UnaryOp::softplus}};
  if (name == "Softsign") return hir::Elementwise{Unary{UnaryOp::softsign}};
  if (name == "Tanh") return hir::Elementwise{Unary{UnaryOp::tanh}};
  if (name == "HardSwish") return hir::Elementwise{Unary{UnaryOp::hard_swish}};
  if (name == "Elu") return with(ActivationKind::elu, 1, 0);
  if (name == "HardSigmoid") return with(ActivationKind::hard_sigmoid, 0.2F, 0.5F);
  if (name == "LeakyRelu") return with(ActivationKind::leaky_relu, 0.01F, 0);
  if (name == "ThresholdedRelu") return with(ActivationKind::thresholded_relu, 1, 0);
  require(name == "Clip", ErrorKind::unsupported, "activation ", in_quotes(name),
          " of a fused op is not supported");
  check(given.size() == 2, "the activation Clip takes 2 bounds, ", given.size(), " given");
  return hir::Clip{given[0], given[1]};
}

hir::InferenceOp parse_fused_conv(NodeArgs& node) {
  node.expect_inputs(2, 4);
  const std::string name = node.text("activation", "");
  const auto parameters = node.numbers("activation_params").value_or(std::vector<float>{});
  return hir::Activated{parse_conv_attributes(node), activation(name, parameters), 3};
}

hir::InferenceOp parse_fused_gemm(NodeArgs& node) {
  node.expect_inputs(2, 3);
  const std::string name = node.text("activation", "");
  std::vector<float> parameters;
  for (const auto* each : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (const auto value = node.number(each)) parameters.push_back(static_cast<float>(*value));
  const hir::Gemm gemm{node.number("alpha", 1), node.number("beta", 1), node.flag("transA", false),
                       node.flag("transB", false)};
  return hir::Activated{gemm, activation(name, parameters), 3};
}

hir::InferenceOp parse_fused_matmul(NodeArgs& node) {
  node.expect_inputs(2, 2);
  hir::FusedMatMul op;
  op.a.matrix = node.flag("transA", false);
  op.b.matrix = node.flag("transB", false);
  op.alpha = node.number("alpha", 1);
  if (node.op_type() == "TransposeMatMul") return op;
  op.a.batches = node.flag("transBatchA", false);
  op.b.batches = node.flag("transBatchB", false);
  return op;
}

hir::InferenceOp parse_matmul_nbits(NodeArgs& node) {
  node.expect_inputs(3, 6);
  refuse_input(node, 4, "g_idx");
  refuse_flag(node, "weight_prepacked");
  constexpr std::int64_t kBytes = 4;  // of accuracy_level, which says how exact A must be at least
  const hir::BlockQuantizedMatMul op{node.required_integer("K"), node.required_integer("N"),
                                     node.integer("bits", 4), node.required_integer("block_size"),
                                     node.integer("accuracy_level", 0) == kBytes};
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  check(op.inner > 0 && op.outer > 0 && op.inner <= kMost && op.outer <= kMost, "the weights are ",
        op.outer, " by ", op.inner);
  check(op.block_size >= 8 && op.block_size <= kMost, "block_size is ", op.block_size,
        ", it must be 8 to ", kMost);
  require(op.bits == 2 || op.bits == 4 || op.bits == 8, ErrorKind::unsupported, "weights of ",
          op.bits, " bits are not supported, those of 2, 4 and 8 are");
  return op;
}

hir::InferenceOp parse_gather_block_quantized(NodeArgs& node) {
  node.expect_inputs(3, 4);
  const hir::GatherBlockQuantized op{node.integer("bits", 4), node.integer("block_size", 128)};
  const std::int64_t gather = node.integer("gather_axis", 0),
                     quantised = node.integer("quantize_axis", 1);
  require(gather == 0 && (quantised == 1 || quantised == -1), ErrorKind::unsupported,
          "GatherBlockQuantized along axis ", gather, " of blocks along axis ", quantised,
          " is not supported, that along axis 0 of blocks along axis 1 is");
  require(op.bits == 4 || op.bits == 8, ErrorKind::unsupported, "a table of ", op.bits,
          " bits is not supported, those of 4 and 8 are");
  check(op.block_size >= 16, "block_size is ", op.block_size, ", it must be 16 or more");
  return op;
}

}  // namespace

void register_contrib_product(Registry& r) {
  r.add_to(kContrib, "FusedConv", {1}, parse_fused_conv);
  r.add_to(kContrib, "FusedGemm", {1}, parse_fused_gemm);
  r.add_to(kContrib, "FusedMatMul", {1}, parse_fused_matmul);
  r.add_to(kContrib, "GatherBlockQuantized", {1}, parse_gather_block_quantized);
  r.add_to(kContrib, "MatMulNBits", {1}, parse_matmul_nbits);
  r.add_to(kContrib, "TransposeMatMul", {1}, parse_fused_matmul);
}

}  // namespace strata::onnx
