#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace strata::onnx {

/// What a file that is not ONNX holds instead, as a phrase (`a zip archive`), or empty when it may
/// be ONNX.
std::string foreign_content(std::span<const std::byte> bytes);

}  // namespace strata::onnx
