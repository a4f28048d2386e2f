#pragma once

#include "strata/core/transform.h"

/// The rules from portable ops to kernels, and among kernels; `passes/lowering.cpp` has the order
/// they are tried in.
namespace strata {

/// Nodes pass through a rule once, while what kernels do is run again and again: a rule is compiled
/// for size also in a file that is compiled for speed.
using Rule = Rewrite(const NodeView& node, const Target& target);

[[gnu::cold]] Rule absorb_transpose, block_conv, block_deconv, block_pool, cancel_blocks,
    cancel_narrowing, extend_layer_norm, find_byte_table, find_channel_norm, find_clip, find_gelu,
    find_hard_swish, find_integer_conv, find_integer_matmul, find_joined_tables, find_layer_norm,
    find_marks, find_narrow_weights, find_pool_places, find_prelu, find_rms_norm, find_silu,
    fold_scale, fold_shift, fuse_activation, fuse_attention, fuse_bias, fuse_block, fuse_byte_pair,
    fuse_elementwise, fuse_gru_cell, fuse_lstm_cell, fuse_residual, fuse_unblock, grow_in_front,
    join_clips, join_convs, join_products, lower_activation, lower_arg_reduce, lower_binary,
    lower_cast, lower_concat, lower_conv, lower_cumulate, lower_deconv, lower_deform_conv,
    lower_dequantize, lower_double_matmul, lower_expand, lower_gather, lower_gather_elements,
    lower_gather_nd, lower_grid_sample, lower_integer_conv, lower_integer_matmul, lower_layer_norm,
    lower_lrn, lower_matmul, lower_numeric_binary, lower_numeric_softmax, lower_numeric_unary,
    lower_pad, lower_pool, lower_powers, lower_quantize, lower_reduce, lower_reshape, lower_resize,
    lower_reverse_sequence, lower_roi_align, lower_scatter_elements, lower_scatter_nd, lower_select,
    lower_shape_of, lower_slice, lower_softmax, lower_split, lower_tensor_scatter, lower_tile,
    lower_top_k, lower_transpose, lower_tree_ensemble, lower_trilu, lower_unary, move_dequantised,
    quantise_integer_sums, requantise_integer_sums, resize_bytes, scale_integer_sums,
    scale_rms_norm, share_keys, shift_integer_sums, turn_deconv, unblock_after_binary,
    unblock_after_concat, unblock_after_reduce, unblock_after_unary, view_transpose, widen_floats;

}  // namespace strata
