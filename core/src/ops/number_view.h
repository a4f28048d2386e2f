#pragma once

#include <cstddef>

#include "strata/core/tensor.h"

/// The elements of tensors as the numbers they compute in (see WidestOf), one at a time: functions that
/// take those need no copy for each element type. Loops that are to be fast go by `visit_kind`.
namespace strata {

/// Wide is double, std::int64_t, std::uint64_t or bool. Throws: internal for elements that compute in
/// another type.
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

}  // namespace strata
