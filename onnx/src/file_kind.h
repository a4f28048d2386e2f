#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace strata::onnx {

/// What a file holds if it is not ONNX, as a phrase (`a zip archive`); empty if it may be ONNX.
std::string foreign_content(std::span<const std::byte> bytes);

}  // namespace strata::onnx
