#pragma once

#include "strata/onnx/registry.h"

/// One sorted line for each file of this folder.
namespace strata::onnx {

void register_concat(Registry& r);
void register_conv(Registry& r);
void register_conv_transpose(Registry& r);
void register_einsum(Registry& r);
void register_gemm(Registry& r);
void register_global_pool(Registry& r);
void register_if(Registry& r);
void register_loop(Registry& r);
void register_matmul(Registry& r);
void register_max_unpool(Registry& r);
void register_pool(Registry& r);
void register_quantized_matmul(Registry& r);

}  // namespace strata::onnx
