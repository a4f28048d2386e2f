#pragma once

#include "strata/core/ops/spatial.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The attributes `auto_pad` and `pads`.
Padding parse_padding(NodeArgs& node);

}  // namespace strata::onnx
