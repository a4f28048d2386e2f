#include "passes/lowering.h"

#include <algorithm>

#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/blocked_image.h"
#include "kernel_ops/cast_kernel.h"
#include "kernel_ops/deconv_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/kernel_op.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/quantize_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/transpose_kernel.h"
#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/deform_conv.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/gather_nd.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/reverse_sequence.h"
#include "strata/core/ops/roi_align.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/scatter_nd.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/size_of.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tensor_scatter.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/tree_ensemble.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

template <class... Ops>
bool is(const TypedOp& op) {
  return (op.as<Ops>() || ...);
}

}  // namespace

std::span<const LoweringRule* const> RulesByOp::of(const TypedOp& op) {
  const char* const name = op.name().data();
  auto known = std::find_if(known_.begin(), known_.end(),
                            [&](const Known& each) { return each.op == name; });
  if (known == known_.end()) {
    const std::size_t begin = found_.size();
    for (const LoweringRule& rule : rules_)
      if (rule.begins_at(op)) found_.push_back(&rule);
    known = known_.insert(known_.end(), {name, begin, found_.size() - begin});
  }
  return std::span(found_).subspan(known->begin, known->count);
}

std::span<const LoweringRule> dequantised_rules() {
  static constexpr LoweringRule kRules[] = {
      {"move_dequantised", move_dequantised,
       is<Concat, Expand, Gather, Pool, Reshape, Resize, Slice, Split, Squeeze, Tile, Transpose,
          Unsqueeze>},
      {"find_integer_matmul", find_integer_matmul, is<MatMul>},
      {"find_integer_conv", find_integer_conv, is<Conv>},
      {"find_byte_table", find_byte_table, is<Quantize, Cast>},
      {"find_joined_tables", find_joined_tables, is<Quantize>},
      {"find_narrow_weights", find_narrow_weights, is<MatMul>},
      {"lower_integer_matmul", lower_integer_matmul, is<MatMul>},
      {"lower_integer_conv", lower_integer_conv, is<Conv>},
  };
  return kRules;
}

std::span<const LoweringRule> cell_rules() {
  static constexpr LoweringRule kRules[] = {
      {"fuse_lstm_cell", fuse_lstm_cell, is<Binary>},
      {"fuse_gru_cell", fuse_gru_cell, is<Binary>},
      {"fuse_attention", fuse_attention, is<MatMul>},
      {"find_layer_norm", find_layer_norm, is<Binary>},
      {"extend_layer_norm", extend_layer_norm, is<Binary>},
      {"find_channel_norm", find_channel_norm, is<Binary>},
      {"find_rms_norm", find_rms_norm, is<Binary>},
      {"scale_rms_norm", scale_rms_norm, is<Binary>},
      {"find_gelu", find_gelu, is<Binary>},
      {"find_hard_swish", find_hard_swish, is<Binary>},
      {"find_silu", find_silu, is<Binary>},
      {"find_prelu", find_prelu, is<Select>},
      {"lower_integer_matmul", lower_integer_matmul, is<MatMul>},
      {"lower_integer_conv", lower_integer_conv, is<Conv>},
      {"scale_integer_sums", scale_integer_sums, is<Binary>},
      {"shift_integer_sums", shift_integer_sums, is<Binary>},
      {"requantise_integer_sums", requantise_integer_sums, is<Cast>},
      {"quantise_integer_sums", quantise_integer_sums, is<Quantize>},
      {"fold_scale", fold_scale, is<Binary>},
      {"fold_shift", fold_shift, is<Binary>},
      {"join_convs", join_convs, is<Binary>},
  };
  return kRules;
}

std::span<const LoweringRule> lowering_rules() {
  static constexpr LoweringRule kRules[] = {
      {"widen_floats", widen_floats,
       is<Activation, Binary, Cast, Concat, Conv, Cumulate, Deconv, Expand, Gather, GatherElements,
          GridSample, LayerNorm, Lrn, MatMul, Pad, Pool, Reduce, Reshape, Resize, Select, Slice,
          Softmax, Split, Squeeze, Tile, TopK, Transpose, Trilu, Unary, Unsqueeze>},
      {"cancel_narrowing", cancel_narrowing, is<Cast, CastKernel>},
      {"fuse_bias", fuse_bias, is<Binary>},
      {"fuse_residual", fuse_residual, is<Binary>},
      {"find_clip", find_clip, is<Binary>},
      {"fuse_activation", fuse_activation, is<Unary, Activation, UnaryKernel>},
      {"join_clips", join_clips, is<UnaryKernel>},
      {"absorb_transpose", absorb_transpose,
       is<Transpose, TransposeKernel, MatMulKernel, AttentionKernel>},
      {"grow_in_front", grow_in_front, is<Loop>},
      {"view_transpose", view_transpose, is<Transpose, TransposeKernel>},
      {"cancel_blocks", cancel_blocks, is<BlockChannels>},
      {"unblock_after_unary", unblock_after_unary, is<Unary, Activation, UnaryKernel>},
      {"unblock_after_binary", unblock_after_binary, is<Binary>},
      {"unblock_after_concat", unblock_after_concat, is<Concat>},
      {"unblock_after_reduce", unblock_after_reduce, is<Reduce>},
      {"find_pool_places", find_pool_places, is<Pool>},
      {"block_pool", block_pool, is<Pool>},
      {"block_conv", block_conv, is<Conv>},
      {"fuse_elementwise", fuse_elementwise, is<UnaryKernel, BinaryKernel, FusedElementwise>},
      {"lower_matmul", lower_matmul, is<MatMul>},
      {"lower_double_matmul", lower_double_matmul, is<MatMul>},
      {"lower_conv", lower_conv, is<Conv>},
      {"turn_deconv", turn_deconv, is<Deconv>},
      {"block_deconv", block_deconv, is<Deconv>},
      {"lower_deconv", lower_deconv, is<Deconv>},
      {"lower_pool", lower_pool, is<Pool>},
      {"lower_resize", lower_resize, is<Resize>},
      {"resize_bytes", resize_bytes, is<Resize>},
      {"lower_powers", lower_powers, is<Binary, Unary>},
      {"lower_unary", lower_unary, is<Unary, Activation>},
      {"lower_binary", lower_binary, is<Binary>},
      {"lower_softmax", lower_softmax, is<Softmax>},
      {"lower_reshape", lower_reshape, is<Reshape, Squeeze, Unsqueeze>},
      {"lower_slice", lower_slice, is<Slice>},
      {"lower_transpose", lower_transpose, is<Transpose>},
      {"lower_expand", lower_expand, is<Expand>},
      {"lower_tile", lower_tile, is<Tile>},
      {"lower_concat", lower_concat, is<Concat>},
      {"lower_split", lower_split, is<Split>},
      {"lower_pad", lower_pad, is<Pad>},
      {"lower_trilu", lower_trilu, is<Trilu>},
      {"lower_gather", lower_gather, is<Gather>},
      {"lower_gather_elements", lower_gather_elements, is<GatherElements>},
      {"lower_gather_nd", lower_gather_nd, is<GatherNd>},
      {"lower_reverse_sequence", lower_reverse_sequence, is<ReverseSequence>},
      {"lower_roi_align", lower_roi_align, is<RoiAlign>},
      {"lower_grid_sample", lower_grid_sample, is<GridSample>},
      {"lower_deform_conv", lower_deform_conv, is<DeformConv>},
      {"lower_shape_of", lower_shape_of, is<ShapeOf, SizeOf>},
      {"lower_numeric_binary", lower_numeric_binary, is<Binary>},
      {"lower_numeric_unary", lower_numeric_unary, is<Unary>},
      {"lower_activation", lower_activation, is<Activation>},
      {"lower_select", lower_select, is<Select>},
      {"find_marks", find_marks, is<NonZero>},
      {"lower_cast", lower_cast, is<Cast>},
      {"lower_quantize", lower_quantize, is<Quantize>},
      {"lower_dequantize", lower_dequantize, is<Dequantize>},
      {"lower_reduce", lower_reduce, is<Reduce>},
      {"lower_arg_reduce", lower_arg_reduce, is<ArgReduce>},
      {"lower_cumulate", lower_cumulate, is<Cumulate>},
      {"lower_layer_norm", lower_layer_norm, is<LayerNorm>},
      {"lower_lrn", lower_lrn, is<Lrn>},
      {"lower_top_k", lower_top_k, is<TopK>},
      {"lower_numeric_softmax", lower_numeric_softmax, is<Softmax>},
      {"lower_scatter_nd", lower_scatter_nd, is<ScatterNd>},
      {"lower_tensor_scatter", lower_tensor_scatter, is<TensorScatter>},
      {"lower_scatter_elements", lower_scatter_elements, is<ScatterElements>},
      {"lower_tree_ensemble", lower_tree_ensemble, is<TreeEnsemble>},
  };
  return kRules;
}

std::span<const LoweringRule> closing_rules() {
  static constexpr LoweringRule kRules[] = {
      {"fuse_unblock", fuse_unblock, is<UnblockChannels>},
      {"join_products", join_products, is<MatMulKernel>},
      {"share_keys", share_keys, is<AttentionKernel>},
      {"fuse_byte_pair", fuse_byte_pair, is<QuantizeKernel>},
      {"fuse_block", fuse_block, is<DeconvKernel, BlockedConvKernel>},
  };
  return kRules;
}

}  // namespace strata
