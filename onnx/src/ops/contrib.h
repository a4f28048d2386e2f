#pragma once

#include <string_view>

#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The domain of the ops that ONNX Runtime adds to the standard ones.
inline constexpr std::string_view kContrib = "com.microsoft";

/// Throws: unsupported when the node has input `i`.
void refuse_input(const NodeArgs& node, std::size_t i, std::string_view name);
/// Throws: unsupported when the node has output `i`.
void refuse_output(const NodeArgs& node, std::size_t i, std::string_view name);
/// Throws: unsupported when an attribute that switches something on is not 0.
void refuse_flag(NodeArgs& node, std::string_view name);

}  // namespace strata::onnx
