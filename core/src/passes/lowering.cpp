#include "passes/lowering.h"

#include "kernel_ops/kernel_op.h"

namespace strata {

std::span<const LoweringRule> dequantised_rules() {
  static constexpr LoweringRule kRules[] = {
      {"find_integer_matmul", find_integer_matmul},
      {"find_integer_conv", find_integer_conv},
  };
  return kRules;
}

std::span<const LoweringRule> cell_rules() {
  static constexpr LoweringRule kRules[] = {
      {"fuse_lstm_cell", fuse_lstm_cell},
      {"fuse_gru_cell", fuse_gru_cell},
      {"fuse_attention", fuse_attention},
      {"find_layer_norm", find_layer_norm},
      {"extend_layer_norm", extend_layer_norm},
      {"find_rms_norm", find_rms_norm},
      {"scale_rms_norm", scale_rms_norm},
      {"find_gelu", find_gelu},
      {"find_hard_swish", find_hard_swish},
      {"find_prelu", find_prelu},
      {"lower_integer_matmul", lower_integer_matmul},
      {"lower_integer_conv", lower_integer_conv},
      {"scale_integer_sums", scale_integer_sums},
      {"shift_integer_sums", shift_integer_sums},
      {"requantise_integer_sums", requantise_integer_sums},
      {"quantise_integer_sums", quantise_integer_sums},
      {"fold_scale", fold_scale},
      {"fold_shift", fold_shift},
  };
  return kRules;
}

std::span<const LoweringRule> lowering_rules() {
  static constexpr LoweringRule kRules[] = {
      {"fuse_bias", fuse_bias},
      {"fuse_residual", fuse_residual},
      {"find_clip", find_clip},
      {"fuse_activation", fuse_activation},
      {"join_clips", join_clips},
      {"absorb_transpose", absorb_transpose},
      {"grow_in_front", grow_in_front},
      {"view_transpose", view_transpose},
      {"cancel_blocks", cancel_blocks},
      {"unblock_after_unary", unblock_after_unary},
      {"unblock_after_binary", unblock_after_binary},
      {"unblock_after_concat", unblock_after_concat},
      {"unblock_after_reduce", unblock_after_reduce},
      {"block_pool", block_pool},
      {"block_conv", block_conv},
      {"fuse_elementwise", fuse_elementwise},
      {"lower_matmul", lower_matmul},
      {"lower_conv", lower_conv},
      {"turn_deconv", turn_deconv},
      {"lower_deconv", lower_deconv},
      {"lower_pool", lower_pool},
      {"lower_resize", lower_resize},
      {"lower_powers", lower_powers},
      {"lower_unary", lower_unary},
      {"lower_binary", lower_binary},
      {"lower_softmax", lower_softmax},
      {"lower_reshape", lower_reshape},
      {"lower_slice", lower_slice},
      {"lower_transpose", lower_transpose},
      {"lower_expand", lower_expand},
      {"lower_tile", lower_tile},
      {"lower_concat", lower_concat},
      {"lower_split", lower_split},
      {"lower_pad", lower_pad},
      {"lower_trilu", lower_trilu},
      {"lower_gather", lower_gather},
      {"lower_gather_elements", lower_gather_elements},
      {"lower_shape_of", lower_shape_of},
      {"lower_numeric_binary", lower_numeric_binary},
      {"lower_numeric_unary", lower_numeric_unary},
      {"lower_activation", lower_activation},
      {"lower_select", lower_select},
      {"lower_cast", lower_cast},
      {"lower_quantize", lower_quantize},
      {"lower_dequantize", lower_dequantize},
      {"lower_reduce", lower_reduce},
      {"lower_arg_reduce", lower_arg_reduce},
      {"lower_cumulate", lower_cumulate},
      {"lower_layer_norm", lower_layer_norm},
      {"lower_lrn", lower_lrn},
      {"lower_top_k", lower_top_k},
      {"lower_numeric_softmax", lower_numeric_softmax},
      {"lower_scatter_nd", lower_scatter_nd},
  };
  return kRules;
}

}  // namespace strata
