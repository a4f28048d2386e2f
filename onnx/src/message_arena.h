#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "messages.h"
#include "strata/core/error.h"

namespace strata::onnx {

/// Memory of messages and lists, which goes with it: they need no destruction.
class MessageArena {
 public:
  MessageArena() = default;
  /// Holds at most so many bytes, the few wasted between blocks included.
  explicit MessageArena(std::int64_t most) : most_(most) {}

  /// A row of `count`, each as it is by default.
  template <class T>
  requires std::is_trivially_destructible_v<T> T* make(std::size_t count) {
    static_assert(kAlignment % alignof(T) == 0);
    T* const items = reinterpret_cast<T*>(take(count * sizeof(T)));
    std::uninitialized_value_construct_n(items, count);
    return items;
  }
  template <class T>
  List<T> make_list(std::size_t count) {
    return {make<T>(count), count, count};
  }

 private:
  static constexpr std::size_t kAlignment = alignof(std::int64_t);
  /// Small enough that an allocator does not get each block from the system and give it back.
  static constexpr std::size_t kBlock = 1 << 14;

  std::byte* take(std::size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > left_) {
      left_ = std::max(size, kBlock);
      require(std::cmp_less_equal(left_, most_ - taken_), ErrorKind::limit,
              "reading the file takes more than the ", most_,
              " bytes allowed (Limits::total_bytes)");
      taken_ += static_cast<std::int64_t>(left_);
      free_ = blocks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(left_)).get();
    }
    std::byte* const out = free_;
    free_ += size;
    left_ -= size;
    return out;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;  ///< in the last block
  std::size_t left_ = 0;
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t taken_ = 0;
};

}  // namespace strata::onnx
