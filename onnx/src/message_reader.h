#pragma once

#include <memory_resource>

#include "messages.h"

namespace strata::onnx {

/// Where messages lie; they need no destruction.
using MessageArena = std::pmr::monotonic_buffer_resource;

/// A list of `count` in the arena.
template <class T>
List<T> make_list(std::size_t count, MessageArena& arena) {
  T* const items = static_cast<T*>(arena.allocate(count * sizeof(T), alignof(T)));
  std::uninitialized_value_construct_n(items, count);
  return {items, count};
}

/// The message that `bytes` encode, in `arena`; null where they are truncated or damaged. They
/// outlive it.
///
/// Read as protobuf does: fields that are unknown, or not of the type they should have, are passed
/// over; of a value that comes twice the last one counts, and a message that does is one with the
/// fields of both.
template <class Message>
Message* read_message(Text bytes, MessageArena& arena);

}  // namespace strata::onnx
