#pragma once

#include "strata/core/ops/pool.h"
#include "strata/onnx/registry.h"

/// Attributes that poolings of all domains and versions have in common.
namespace strata::onnx {

/// `kernel_shape`, `strides`, `auto_pad` and `pads`.
Pool parse_window(NodeArgs& node, PoolKind kind);
/// `ceil_mode`.
WindowRounding parse_rounding(NodeArgs& node);

}  // namespace strata::onnx
