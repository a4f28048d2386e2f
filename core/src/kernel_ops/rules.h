#pragma once

#include "strata/core/transform.h"

/// The rules from portable ops to kernels, and among kernels; `passes/lowering.cpp` has the order
/// they are tried in.
namespace strata {

Rewrite absorb_transpose(const NodeView& node, const Target& target);
Rewrite block_conv(const NodeView& node, const Target& target);
Rewrite block_deconv(const NodeView& node, const Target& target);
Rewrite block_pool(const NodeView& node, const Target& target);
Rewrite cancel_blocks(const NodeView& node, const Target& target);
Rewrite cancel_narrowing(const NodeView& node, const Target& target);
Rewrite extend_layer_norm(const NodeView& node, const Target& target);
Rewrite find_byte_table(const NodeView& node, const Target& target);
Rewrite find_channel_norm(const NodeView& node, const Target& target);
Rewrite find_clip(const NodeView& node, const Target& target);
Rewrite find_gelu(const NodeView& node, const Target& target);
Rewrite find_hard_swish(const NodeView& node, const Target& target);
Rewrite find_integer_conv(const NodeView& node, const Target& target);
Rewrite find_integer_matmul(const NodeView& node, const Target& target);
Rewrite find_layer_norm(const NodeView& node, const Target& target);
Rewrite find_marks(const NodeView& node, const Target& target);
Rewrite find_narrow_weights(const NodeView& node, const Target& target);
Rewrite find_pool_places(const NodeView& node, const Target& target);
Rewrite find_prelu(const NodeView& node, const Target& target);
Rewrite find_rms_norm(const NodeView& node, const Target& target);
Rewrite find_silu(const NodeView& node, const Target& target);
Rewrite fold_scale(const NodeView& node, const Target& target);
Rewrite fold_shift(const NodeView& node, const Target& target);
Rewrite fuse_activation(const NodeView& node, const Target& target);
Rewrite fuse_attention(const NodeView& node, const Target& target);
Rewrite fuse_bias(const NodeView& node, const Target& target);
Rewrite fuse_block(const NodeView& node, const Target& target);
Rewrite fuse_byte_pair(const NodeView& node, const Target& target);
Rewrite fuse_elementwise(const NodeView& node, const Target& target);
Rewrite fuse_gru_cell(const NodeView& node, const Target& target);
Rewrite fuse_lstm_cell(const NodeView& node, const Target& target);
Rewrite fuse_residual(const NodeView& node, const Target& target);
Rewrite fuse_unblock(const NodeView& node, const Target& target);
Rewrite grow_in_front(const NodeView& node, const Target& target);
Rewrite join_clips(const NodeView& node, const Target& target);
Rewrite join_convs(const NodeView& node, const Target& target);
Rewrite join_products(const NodeView& node, const Target& target);
Rewrite lower_activation(const NodeView& node, const Target& target);
Rewrite lower_arg_reduce(const NodeView& node, const Target& target);
Rewrite lower_binary(const NodeView& node, const Target& target);
Rewrite lower_cast(const NodeView& node, const Target& target);
Rewrite lower_concat(const NodeView& node, const Target& target);
Rewrite lower_conv(const NodeView& node, const Target& target);
Rewrite lower_cumulate(const NodeView& node, const Target& target);
Rewrite lower_deconv(const NodeView& node, const Target& target);
Rewrite lower_deform_conv(const NodeView& node, const Target& target);
Rewrite lower_dequantize(const NodeView& node, const Target& target);
Rewrite lower_double_matmul(const NodeView& node, const Target& target);
Rewrite lower_expand(const NodeView& node, const Target& target);
Rewrite lower_gather(const NodeView& node, const Target& target);
Rewrite lower_gather_elements(const NodeView& node, const Target& target);
Rewrite lower_gather_nd(const NodeView& node, const Target& target);
Rewrite lower_grid_sample(const NodeView& node, const Target& target);
Rewrite lower_integer_conv(const NodeView& node, const Target& target);
Rewrite lower_integer_matmul(const NodeView& node, const Target& target);
Rewrite lower_layer_norm(const NodeView& node, const Target& target);
Rewrite lower_lrn(const NodeView& node, const Target& target);
Rewrite lower_matmul(const NodeView& node, const Target& target);
Rewrite lower_numeric_binary(const NodeView& node, const Target& target);
Rewrite lower_numeric_softmax(const NodeView& node, const Target& target);
Rewrite lower_numeric_unary(const NodeView& node, const Target& target);
Rewrite lower_pad(const NodeView& node, const Target& target);
Rewrite lower_pool(const NodeView& node, const Target& target);
Rewrite lower_powers(const NodeView& node, const Target& target);
Rewrite lower_quantize(const NodeView& node, const Target& target);
Rewrite lower_reduce(const NodeView& node, const Target& target);
Rewrite lower_reshape(const NodeView& node, const Target& target);
Rewrite lower_resize(const NodeView& node, const Target& target);
Rewrite lower_reverse_sequence(const NodeView& node, const Target& target);
Rewrite lower_roi_align(const NodeView& node, const Target& target);
Rewrite lower_scatter_elements(const NodeView& node, const Target& target);
Rewrite lower_scatter_nd(const NodeView& node, const Target& target);
Rewrite lower_select(const NodeView& node, const Target& target);
Rewrite lower_shape_of(const NodeView& node, const Target& target);
Rewrite lower_slice(const NodeView& node, const Target& target);
Rewrite lower_softmax(const NodeView& node, const Target& target);
Rewrite lower_split(const NodeView& node, const Target& target);
Rewrite lower_tensor_scatter(const NodeView& node, const Target& target);
Rewrite lower_tile(const NodeView& node, const Target& target);
Rewrite lower_top_k(const NodeView& node, const Target& target);
Rewrite lower_transpose(const NodeView& node, const Target& target);
Rewrite lower_tree_ensemble(const NodeView& node, const Target& target);
Rewrite lower_trilu(const NodeView& node, const Target& target);
Rewrite lower_unary(const NodeView& node, const Target& target);
Rewrite quantise_integer_sums(const NodeView& node, const Target& target);
Rewrite requantise_integer_sums(const NodeView& node, const Target& target);
Rewrite resize_bytes(const NodeView& node, const Target& target);
Rewrite scale_integer_sums(const NodeView& node, const Target& target);
Rewrite scale_rms_norm(const NodeView& node, const Target& target);
Rewrite share_keys(const NodeView& node, const Target& target);
Rewrite shift_integer_sums(const NodeView& node, const Target& target);
Rewrite turn_deconv(const NodeView& node, const Target& target);
Rewrite unblock_after_binary(const NodeView& node, const Target& target);
Rewrite unblock_after_concat(const NodeView& node, const Target& target);
Rewrite unblock_after_reduce(const NodeView& node, const Target& target);
Rewrite unblock_after_unary(const NodeView& node, const Target& target);
Rewrite view_transpose(const NodeView& node, const Target& target);
Rewrite widen_floats(const NodeView& node, const Target& target);

}  // namespace strata
