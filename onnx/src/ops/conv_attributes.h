#pragma once

#include "strata/hir/ops/conv.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The attributes that all convolutions share.
hir::Conv parse_conv_attributes(NodeArgs& node);

}  // namespace strata::onnx
