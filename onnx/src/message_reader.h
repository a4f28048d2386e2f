#pragma once

#include "message_arena.h"
#include "messages.h"

namespace strata::onnx {

/// The message that `bytes` encode, in `arena`; null where they are truncated or damaged. They
/// outlive it.
///
/// Reads as protobuf does: unknown fields and fields of the wrong type are skipped; if a value
/// occurs twice, the last one counts; if a message occurs twice, the fields of both are merged.
/// Throws: limit where messages nest deeper than any model may.
template <class Message>
Message* read_message(Text bytes, MessageArena& arena);

}  // namespace strata::onnx
