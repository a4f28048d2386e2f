#pragma once

#include <string>

#include "messages.h"

namespace strata::onnx {

/// `message` as files hold it. Numbers that are 0 and texts that are empty are left out, which says
/// the same. An attribute is written as it lies in its file, under the name it has now.
template <class Message>
std::string encoded(const Message& message);

}  // namespace strata::onnx
