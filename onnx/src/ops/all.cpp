#include "ops/all.h"

namespace strata::onnx {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_activation(r);
    register_binary(r);
    register_cast(r);
    register_concat(r);
    register_conv(r);
    register_conv_transpose(r);
    register_dropout(r);
    register_einsum(r);
    register_gemm(r);
    register_global_pool(r);
    register_if(r);
    register_loop(r);
    register_matmul(r);
    register_max_unpool(r);
    register_normalization(r);
    register_pool(r);
    register_quantize(r);
    register_quantized_matmul(r);
    register_reduce(r);
    register_select(r);
    register_unary(r);
    return r;
  }();
  return all;
}

}  // namespace strata::onnx
