#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strata::onnx {

/// Items in memory of somebody else, which has room for a number of them.
template <class T>
class List {
 public:
  List() = default;
  List(T* items, std::size_t size, std::size_t room)
      : items_(items),
        size_(static_cast<std::uint32_t>(size)),
        room_(static_cast<std::uint32_t>(room)) {}
  explicit List(std::span<T> items) : List(items.data(), items.size(), items.size()) {}

  T* data() const { return items_; }
  T* begin() const { return items_; }
  T* end() const { return items_ + size_; }
  T& operator[](std::size_t i) const { return items_[i]; }
  T& back() const { return items_[size_ - 1]; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return room_; }
  bool empty() const { return size_ == 0; }
  operator std::span<const T>() const { return {items_, size_}; }

 private:
  T* items_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace strata::onnx
