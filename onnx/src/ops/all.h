#pragma once

#include "strata/onnx/registry.h"

/// One sorted line for each file of this folder.
namespace strata::onnx {

void register_activation(Registry& r);
void register_affine_grid(Registry& r);
void register_attention(Registry& r);
void register_binary(Registry& r);
void register_cast(Registry& r);
void register_causal_conv(Registry& r);
void register_col2im(Registry& r);
void register_concat(Registry& r);
void register_constant(Registry& r);
void register_contrib_attention(Registry& r);
void register_contrib_gelu(Registry& r);
void register_contrib_normalization(Registry& r);
void register_contrib_product(Registry& r);
void register_contrib_quantized(Registry& r);
void register_contrib_shape(Registry& r);
void register_conv(Registry& r);
void register_conv_transpose(Registry& r);
void register_deform_conv(Registry& r);
void register_depth_to_space(Registry& r);
void register_det(Registry& r);
void register_dft(Registry& r);
void register_dropout(Registry& r);
void register_einsum(Registry& r);
void register_expand(Registry& r);
void register_feature(Registry& r);
void register_gather(Registry& r);
void register_gemm(Registry& r);
void register_global_pool(Registry& r);
void register_gradient(Registry& r);
void register_grid_sample(Registry& r);
void register_gru(Registry& r);
void register_if(Registry& r);
void register_image_decoder(Registry& r);
void register_label_encoder(Registry& r);
void register_linear_attention(Registry& r);
void register_linear_model(Registry& r);
void register_loop(Registry& r);
void register_loss(Registry& r);
void register_lstm(Registry& r);
void register_map(Registry& r);
void register_matmul(Registry& r);
void register_matrix_fill(Registry& r);
void register_max_unpool(Registry& r);
void register_mel_weight_matrix(Registry& r);
void register_non_max_suppression(Registry& r);
void register_normalization(Registry& r);
void register_optimizer(Registry& r);
void register_optional(Registry& r);
void register_pad(Registry& r);
void register_pool(Registry& r);
void register_preprocessing(Registry& r);
void register_quantize(Registry& r);
void register_quantized_matmul(Registry& r);
void register_random(Registry& r);
void register_range(Registry& r);
void register_reduce(Registry& r);
void register_reshape(Registry& r);
void register_resize(Registry& r);
void register_reverse_sequence(Registry& r);
void register_rnn(Registry& r);
void register_roi_align(Registry& r);
void register_rotary_embedding(Registry& r);
void register_scan(Registry& r);
void register_scatter(Registry& r);
void register_select(Registry& r);
void register_selection(Registry& r);
void register_sequence(Registry& r);
void register_shape(Registry& r);
void register_slice(Registry& r);
void register_split(Registry& r);
void register_squeeze(Registry& r);
void register_string(Registry& r);
void register_svm(Registry& r);
void register_swiglu(Registry& r);
void register_transpose(Registry& r);
void register_tree_ensemble(Registry& r);
void register_tree_model(Registry& r);
void register_unary(Registry& r);

}  // namespace strata::onnx
