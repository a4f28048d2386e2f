#pragma once

#include <string>

#include "messages.h"

namespace strata::onnx {

/// The bytes of `message`. Numbers that are 0 and empty texts are left out, which has the same
/// meaning. An attribute keeps the bytes it has in its file, under its present name.
template <class Message>
std::string encoded(const Message& message);

}  // namespace strata::onnx
