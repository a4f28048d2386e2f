#pragma once

#include "strata/onnx/registry.h"

/// One sorted line for each file of this folder.
namespace strata::onnx {

void register_concat(Registry& r);
void register_if(Registry& r);
void register_loop(Registry& r);

}  // namespace strata::onnx
