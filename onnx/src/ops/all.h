#pragma once

#include "strata/onnx/registry.h"

/// One sorted line for each file of this folder.
namespace strata::onnx {

void register_activation(Registry& r);
void register_binary(Registry& r);
void register_cast(Registry& r);
void register_concat(Registry& r);
void register_conv(Registry& r);
void register_conv_transpose(Registry& r);
void register_dropout(Registry& r);
void register_einsum(Registry& r);
void register_gemm(Registry& r);
void register_global_pool(Registry& r);
void register_if(Registry& r);
void register_loop(Registry& r);
void register_matmul(Registry& r);
void register_max_unpool(Registry& r);
void register_normalization(Registry& r);
void register_pool(Registry& r);
void register_quantize(Registry& r);
void register_quantized_matmul(Registry& r);
void register_reduce(Registry& r);
void register_select(Registry& r);
void register_unary(Registry& r);

}  // namespace strata::onnx
