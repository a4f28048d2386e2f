#pragma once

#include <algorithm>
#include <cstddef>
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
  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void resize(std::size_t count, T fill = T{}) {
    reserve(count);
    if (count > size_) std::fill(data() + size_, data() + count, fill);
    size_ = count;
  }
  void insert(const T* where, T value) {
    const std::size_t at = static_cast<std::size_t>(where - data());
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(const T* where) {
    T* at = data() + (where - data());
    std::copy(at + 1, end(), at);
    --size_;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  template <class It>
  void append(It first, It last) {
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t wanted = std::max(count, 2 * capacity_);
    auto grown = std::make_unique<T[]>(wanted);
    std::copy(begin(), end(), grown.get());
    heap_ = std::move(grown);
    capacity_ = wanted;
  }
  void take(SmallVector& other) noexcept {
    size_ = other.size_;
    capacity_ = other.capacity_;
    heap_ = std::move(other.heap_);
    if (!heap_) std::copy(other.inline_, other.inline_ + size_, inline_);
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N] = {};
};

}  // namespace strata
