#include "ops/all.h"

namespace strata::onnx {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_concat(r);
    register_conv(r);
    register_conv_transpose(r);
    register_einsum(r);
    register_gemm(r);
    register_global_pool(r);
    register_if(r);
    register_loop(r);
    register_matmul(r);
    register_max_unpool(r);
    register_pool(r);
    register_quantized_matmul(r);
    return r;
  }();
  return all;
}

}  // namespace strata::onnx
