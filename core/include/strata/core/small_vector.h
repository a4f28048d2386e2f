#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>

namespace strata {

/// A vector that keeps up to N elements in place; shapes of rank up to N cost no allocation.
template <class T, std::size_t N>
requires std::is_trivially_copyable_v<T>
class SmallVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  explicit SmallVector(std::size_t count, T fill = T{}) { resize(count, fill); }
  template <std::input_iterator It>
  SmallVector(It first, It last) {
    append(first, last);
  }
  explicit SmallVector(std::span<const T> items) { append(items.begin(), items.end()); }
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  operator std::span<const T>() const { return {data(), size_}; }

  void clear() { size_ = 0; }
  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(T value) {
    reserve(size_ + std::size_t{1});
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void resize(std::size_t count, T fill = T{}) {
    reserve(count);
    if (count > size_) std::fill(data() + size_, data() + count, fill);
    size_ = static_cast<std::uint32_t>(count);
  }
  void insert(const T* where, T value) { insert(where, &value, &value + 1); }
  void insert(const T* where, std::initializer_list<T> items) {
    insert(where, items.begin(), items.end());
  }
  template <std::forward_iterator It>
  void insert(const T* where, It first, It last) {
    const std::ptrdiff_t at = where - data();
    const std::size_t before = size_;
    append(first, last);
    std::rotate(begin() + at, begin() + before, end());
  }
  void erase(const T* where) { erase(where, where + 1); }
  void erase(const T* first, const T* last) {
    T* at = data() + (first - data());
    size_ = static_cast<std::uint32_t>(std::copy(last, static_cast<const T*>(end()), at) - data());
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  template <std::forward_iterator It>
  void append(It first, It last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    reserve(size_ + count);
    std::transform(first, last, data() + size_, [](const auto& x) { return static_cast<T>(x); });
    size_ += static_cast<std::uint32_t>(count);
  }
  template <class It>
  void append(It first, It last) {
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }
  void grow(std::size_t count) {
    const std::size_t wanted = std::max(count, std::size_t{2} * capacity_);
    auto grown = std::make_unique<T[]>(wanted);
    std::copy(begin(), end(), grown.get());
    heap_ = std::move(grown);
    capacity_ = static_cast<std::uint32_t>(wanted);
  }
  void take(SmallVector& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    heap_ = std::move(other.heap_);
    if (!heap_) std::copy(other.inline_, other.inline_ + size_, inline_);
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N] = {};
};

}  // namespace strata
