#pragma once

#include "message_arena.h"
#include "messages.h"

namespace strata::onnx {

/// The message that `bytes` encode, in `arena`; null where they are truncated or damaged. They
/// outlive it.
///
/// Read as protobuf does: fields that are unknown, or not of the type they should have, are passed
/// over; of a value that comes twice the last one counts, and a message that does is one with the
/// fields of both. Throws: limit where messages nest deeper than any model may.
template <class Message>
Message* read_message(Text bytes, MessageArena& arena);

}  // namespace strata::onnx
