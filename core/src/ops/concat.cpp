#include "strata/core/ops/concat.h"

#include <algorithm>

#include "computable.h"
#include "ops/movement.h"

namespace strata {
namespace {

/// The sum; a fresh dim where that is too large an expression.
Dim sum_of(const Dim& a, const Dim& b) {
  const auto sum = if_computable([&] { return std::optional(a + b); });
  return sum ? *sum : fresh_dim();
}

/// Adds `next` to `joined`: off the axis the dims must agree, and the more definite one stays.
void join_shape(std::vector<Dim>& joined, DimsView next, std::size_t axis) {
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (i == axis) continue;
    check(may_be_equal(joined[i], next[i]), "(C4) ", joined, " does not join ", next, " on axis ",
          axis);
    joined[i] = more_definite(joined[i], next[i]);
  }
  // Only now, for the error to show what there was.
  joined[axis] = sum_of(joined[axis], next[axis]);
}

}  // namespace

FactList Concat::output_facts(Facts in) const {
  check(in.size() >= 1, "(C1) Concat has no input");
  std::optional<std::vector<Dim>> joined;
  bool open = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    check(in[i].dtype == in[0].dtype, "(C2) ", in[i].dtype, " does not join ", in[0].dtype);
    if (in[i].shape.is_open()) {
      open = true;
    } else if (!joined) {
      joined = in[i].shape.dims();
    } else {
      const DimsView next = in[i].shape.dims();
      check(next.size() == joined->size(), "(C4) ", *joined, " does not join ", next,
            " of another rank");
      join_shape(*joined, next, normalized_axis(axis, joined->size()));
    }
  }
  if (!joined) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t at = normalized_axis(axis, joined->size());
  if (open) (*joined)[at] = fresh_dim();
  return {Fact::tensor(in[0].dtype, *std::move(joined))};
}

TensorList Concat::eval(Tensors in) const {
  const TensorList parts = with_common_type(in);
  const std::size_t at = axis_of_data(axis, parts[0].rank());
  Shape shape = parts[0].shape();
  for (const Tensor& part : parts.size() > 1 ? Tensors(parts).subspan(1) : Tensors{}) {
    check_data(part.dtype() == parts[0].dtype(), "(C2) ", part.dtype(), " does not join ",
               parts[0].dtype());
    check_data(part.rank() == shape.size(), "(C4) ", Span(shape), " does not join ",
               Span(part.shape()), " of another rank");
    for (std::size_t i = 0; i < shape.size(); ++i)
      check_data(i == at || part.shape()[i] == shape[i], "(C4) ", Span(shape), " does not join ",
                 Span(part.shape()), " on axis ", at);
    shape[at] += part.shape()[at];
  }
  MutableTensor out(parts[0].dtype(), shape);
  const std::int64_t outer = product(Span(shape).first(at));
  std::int64_t place = 0;
  for (std::int64_t row = 0; row < outer; ++row)
    for (const Tensor& part : parts) {
      const std::int64_t length = part.size() / outer;
      copy_elements(part, row * length, length, out, place);
      place += length;
    }
  return {std::move(out).freeze()};
}

}  // namespace strata
