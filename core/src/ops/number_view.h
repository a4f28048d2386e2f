#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ops/number_kinds.h"

/// The elements of tensors as the numbers they compute in (see WidestOf), one at a time: functions
/// that take those need no copy for each element type. Loops that are to be fast go by
/// `visit_kind`.
namespace strata {

/// Wide is double, std::int64_t, std::uint64_t or bool. Throws: internal for elements that compute
/// in another type.
template <class Wide>
class NumberView {
 public:
  /// The tensor outlives the view.
  explicit NumberView(const Tensor& tensor);
  Wide operator[](std::size_t i) const { return read_(data_, i); }

 private:
  const std::byte* data_;
  Wide (*read_)(const std::byte*, std::size_t);
};

template <class Wide>
class MutableNumberView {
 public:
  explicit MutableNumberView(MutableTensor& tensor);
  /// Floats are rounded to nearest, integers wrap.
  void set(std::size_t i, Wide number) const { write_(data_, i, number); }

 private:
  std::byte* data_;
  void (*write_)(std::byte*, std::size_t, Wide);
};

/// Calls `visit(TypeTag<Wide>{})` with the type that real numbers and integers of `type` compute
/// in.
template <class Visit>
void visit_wide(DatumType type, Visit&& visit) {
  switch (kind_of(type)) {
    case NumberKind::real:
      return visit(TypeTag<double>{});
    case NumberKind::whole:
      return visit(TypeTag<std::int64_t>{});
    case NumberKind::natural:
      return visit(TypeTag<std::uint64_t>{});
    default:
      fail(ErrorKind::internal, "elements of type ", type, " are no numbers");
  }
}

/// The number of the type that is nearest to `wide`, where that is an integer.
template <class Wide>
Wide in_range(Wide wide, DatumType type) {
  if constexpr (std::is_integral_v<Wide> && !std::is_same_v<Wide, bool>) {
    const auto unused = 64 - static_cast<int>(bit_width(type));
    using Limits = std::numeric_limits<Wide>;
    return std::clamp<Wide>(wide, Limits::min() >> unused, Limits::max() >> unused);
  } else {
    return wide;
  }
}

}  // namespace strata
