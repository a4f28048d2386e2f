#include "ops/all.h"

namespace strata::onnx {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_activation(r);
    register_affine_grid(r);
    register_attention(r);
    register_binary(r);
    register_cast(r);
    register_causal_conv(r);
    register_col2im(r);
    register_concat(r);
    register_constant(r);
    register_contrib_attention(r);
    register_contrib_gelu(r);
    register_contrib_normalization(r);
    register_contrib_product(r);
    register_contrib_quantized(r);
    register_contrib_shape(r);
    register_conv(r);
    register_conv_transpose(r);
    register_deform_conv(r);
    register_depth_to_space(r);
    register_det(r);
    register_dft(r);
    register_dropout(r);
    register_einsum(r);
    register_expand(r);
    register_feature(r);
    register_gather(r);
    register_gemm(r);
    register_global_pool(r);
    register_gradient(r);
    register_grid_sample(r);
    register_gru(r);
    register_if(r);
    register_image_decoder(r);
    register_label_encoder(r);
    register_linear_attention(r);
    register_linear_model(r);
    register_loop(r);
    register_loss(r);
    register_lstm(r);
    register_map(r);
    register_matmul(r);
    register_matrix_fill(r);
    register_max_unpool(r);
    register_mel_weight_matrix(r);
    register_non_max_suppression(r);
    register_normalization(r);
    register_optimizer(r);
    register_optional(r);
    register_pad(r);
    register_pool(r);
    register_preprocessing(r);
    register_quantize(r);
    register_quantized_matmul(r);
    register_random(r);
    register_range(r);
    register_reduce(r);
    register_reshape(r);
    register_resize(r);
    register_reverse_sequence(r);
    register_rnn(r);
    register_roi_align(r);
    register_rotary_embedding(r);
    register_scan(r);
    register_scatter(r);
    register_select(r);
    register_selection(r);
    register_sequence(r);
    register_shape(r);
    register_slice(r);
    register_split(r);
    register_squeeze(r);
    register_string(r);
    register_svm(r);
    register_swiglu(r);
    register_transpose(r);
    register_tree_ensemble(r);
    register_tree_model(r);
    register_unary(r);
    return r;
  }();
  return all;
}

}  // namespace strata::onnx
