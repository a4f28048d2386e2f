#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/core/dim.h"
#include "strata/core/tensor.h"

namespace strata {

/// A view of the dims of a shape; converting it to a vector copies them.
class DimsView : public std::span<const Dim> {
 public:
  using std::span<const Dim>::span;
  operator std::vector<Dim>() const { return {begin(), end()}; }
};

/// The sizes of a tensor's axes as Dims, or open: not even the rank can be known before the run.
/// Copies share the dims.
class ShapeFact {
 public:
  ShapeFact() = default;
  ShapeFact(std::vector<Dim> dims);
  ShapeFact(const Shape& shape);
  static ShapeFact open() {
    ShapeFact shape;
    shape.rank_ = kOpen;
    return shape;
  }

  bool is_open() const { return rank_ == kOpen; }
  bool is_known() const { return rank_ != kOpen; }
  /// The rank. Throws: internal when the shape is open.
  std::size_t rank() const {
    if (is_open()) [[unlikely]]
      refuse_open();
    return rank_;
  }
  /// Throws: internal when the shape is open.
  DimsView dims() const { return {dims_.get(), rank()}; }
  /// Throws: internal when the shape is open, or has no such axis.
  const Dim& operator[](std::size_t axis) const;
  /// The shape when every dim is an integer.
  std::optional<Shape> concrete() const;
  /// The product of the dims; nothing when open.
  std::optional<Dim> volume() const;

  /// Whether it is the same fact. Two open shapes are, though tensors of them may have others: see
  /// `surely_equal`.
  bool operator==(const ShapeFact& other) const;
  /// `[N,3]`, `[]`, or `[..]` when open.
  std::string to_string() const;

 private:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);
  [[noreturn]] static void refuse_open();

  std::size_t rank_ = 0;  ///< kOpen where it is open
  std::shared_ptr<const Dim[]> dims_;
};

/// Whether tensors of these shapes have the same sizes in every run. Of open shapes that is not
/// known.
inline bool surely_equal(const ShapeFact& a, const ShapeFact& b) { return a.is_known() && a == b; }

}  // namespace strata
