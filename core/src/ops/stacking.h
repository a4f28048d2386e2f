#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "strata/core/ops/loop.h"
#include "strata/core/ops/support.h"
#include "tensor_storage.h"

namespace strata {

/// Puts the parts of a stacked output into their place in the whole. A part is `outer` rows of
/// `row_bytes`; in the whole, a row holds those of all iterations.
class StackLayout {
 public:
  StackLayout() = default;
  /// For parts of this shape along the axis of `output`. The elements take whole bytes.
  StackLayout(const LoopOutput& output, DatumType dtype, const Shape& part)
      : is_reversed_(output.reversed), axis_(normalized_axis(output.axis, part.size())) {
    outer_ = static_cast<std::size_t>(product(Span(part).first(axis_)));
    row_bytes_ = detail::bytes_of(dtype, product(Span(part).subspan(axis_)));
  }

  std::size_t axis() const { return axis_; }
  bool is_reversed() const { return is_reversed_; }
  /// Whether a part lies in one piece.
  bool is_direct() const { return outer_ == 1; }
  /// Where the part of iteration `n` of `trips` begins.
  std::byte* at(std::byte* whole, std::int64_t n, std::int64_t trips) const {
    return whole + static_cast<std::size_t>(is_reversed_ ? trips - 1 - n : n) * row_bytes_;
  }
  void put(std::byte* whole, std::int64_t n, std::int64_t trips, const std::byte* part) const {
    if (row_bytes_ == 0) return;
    std::byte* to = at(whole, n, trips);
    for (std::size_t row = 0; row < outer_; ++row)
      std::memcpy(to + row * static_cast<std::size_t>(trips) * row_bytes_, part + row * row_bytes_,
                  row_bytes_);
  }

 private:
  bool is_reversed_ = false;
  std::size_t axis_ = 0;
  std::size_t outer_ = 1;
  std::size_t row_bytes_ = 0;
};

/// Parts of equal shape, one after the other, in memory that grows geometrically: for loops whose
/// trips nobody knows before.
class GrowingStack {
 public:
  GrowingStack(DatumType dtype, Shape part) : dtype_(dtype), part_(std::move(part)) {}

  /// The bytes of `part` are copied. Throws: limit when the memory scope refuses to grow.
  void add(const std::byte* part) {
    if (!memory_ || count_ == capacity_) grow();
    if (part_bytes_ > 0)
      std::memcpy(memory_->data() + static_cast<std::size_t>(count_) * part_bytes_, part,
                  part_bytes_);
    ++count_;
  }

  /// All parts joined as `layout` says.
  Tensor joined(const StackLayout& layout) && {
    Shape whole = part_;
    whole[layout.axis()] *= count_;
    if (count_ == capacity_ && memory_ && layout.is_direct() && !layout.is_reversed())
      return std::move(*memory_).freeze().reshaped(std::move(whole));
    MutableTensor out(dtype_, std::move(whole));
    for (std::int64_t n = 0; n < count_; ++n)
      layout.put(out.data(), n, count_,
                 memory_->data() + static_cast<std::size_t>(n) * part_bytes_);
    return std::move(out).freeze();
  }

 private:
  void grow() {
    constexpr std::int64_t kFirst = 16;
    capacity_ = std::max(kFirst, 2 * capacity_);
    Shape shape{capacity_};
    for (const std::int64_t size : part_) shape.push_back(size);
    MutableTensor larger(dtype_, std::move(shape));
    part_bytes_ = larger.bytes().size() / static_cast<std::size_t>(capacity_);
    if (memory_ && part_bytes_ > 0)
      std::memcpy(larger.data(), memory_->data(), static_cast<std::size_t>(count_) * part_bytes_);
    memory_.emplace(std::move(larger));
  }

  DatumType dtype_;
  Shape part_;
  std::size_t part_bytes_ = 0;
  std::int64_t count_ = 0;
  std::int64_t capacity_ = 0;
  std::optional<MutableTensor> memory_;
};

}  // namespace strata
