#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/core/fact.h"
#include "strata/core/value.h"

/// Small helpers that op sources share.
namespace strata {

/// A shape, to print or to loop over.
using Span = std::span<const std::int64_t>;

inline std::int64_t product(Span sizes) { return element_count(sizes); }

/// Whether two sizes can be the same: integers when equal, anything symbolic always.
bool may_be_equal(const Dim& a, const Dim& b);
/// Whichever of the two is an integer, or else the first.
const Dim& more_definite(const Dim& a, const Dim& b);

/// The tensors as they are, or, when some are `dim`, the i64 ones turned into `dim` as well.
TensorList with_common_type(Tensors in);
/// `tensor` as a `dim` tensor.
Tensor as_dims(const Tensor& tensor);

/// Throws: invalid_model when there are fewer than `least` or more than `most` inputs.
void check_arity(std::string_view op, Facts in, std::size_t least, std::size_t most);

/// Calls `visit(index)` for each index of `shape`, in row-major order; `index` is a Shape.
template <class Visit>
void for_each_index(Span shape, Visit&& visit) {
  const std::int64_t count = element_count(shape);
  Shape index(shape.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    visit(static_cast<const Shape&>(index));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/// Calls `visit(a, b)` with the offsets of the elements that two row-major operands contribute to
/// each element of the shape they broadcast to.
template <class Visit>
void for_each_broadcast(Span out, Span a, Span b, Visit&& visit) {
  const std::int64_t count = element_count(out);
  const auto steps = [&](Span shape) {
    Shape stride(out.size(), 0);
    std::int64_t step = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t axis = shape.size() - 1 - i;
      if (shape[axis] != 1) stride[out.size() - 1 - i] = step;
      step *= shape[axis];
    }
    return stride;
  };
  const Shape step_a = steps(a), step_b = steps(b);
  Shape index(out.size(), 0);
  std::int64_t at_a = 0, at_b = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    visit(at_a, at_b);
    for (std::size_t axis = out.size(); axis-- > 0;) {
      at_a += step_a[axis];
      at_b += step_b[axis];
      if (++index[axis] < out[axis]) break;
      at_a -= step_a[axis] * out[axis];
      at_b -= step_b[axis] * out[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace strata
