#include "strata/core/ops/non_zero.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Which elements are neither zero nor an empty string.
Tensor marks_of(const Tensor& data) {
  if (data.dtype() != DatumType::string) return cast(data, DatumType::boolean);
  MutableTensor marks(DatumType::boolean, data.shape());
  std::ranges::transform(data.as<std::string>(), marks.as<bool>().begin(),
                         [](const std::string& text) { return !text.empty(); });
  return std::move(marks).freeze();
}

/// Writes the indices row after row of the last axis, which all have the same place on the others.
void write_indices(std::span<const bool> marks, Span shape, std::int64_t* out, std::int64_t count) {
  const std::size_t last = shape.size() - 1;
  const std::int64_t columns = shape[last];
  Shape place(shape.size(), 0);
  std::int64_t done = 0;
  for (const bool* row = marks.data(); done < count; row += columns) {
    std::int64_t* to = out + static_cast<std::int64_t>(last) * count;
    const std::int64_t before = done;
    for (std::int64_t i = 0; i < columns && done < count; ++i) {
      to[done] = i;  // the next one goes to the same place unless this one counts
      done += row[i] ? 1 : 0;
    }
    for (std::size_t axis = 0; axis < last; ++axis)
      std::fill_n(out + static_cast<std::int64_t>(axis) * count + before, done - before,
                  place[axis]);
    for (std::size_t axis = last; axis-- > 0;) {
      if (++place[axis] < shape[axis]) break;
      place[axis] = 0;
    }
  }
}

}  // namespace

FactList NonZero::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].is_tensor(), "(C1) NonZero reads a ", in[0].type(), ", which is no tensor");
  const Dim rank = in[0].shape.is_open() ? fresh_dim() : Dim(in[0].shape.rank());
  return {Fact::tensor(DatumType::i64, {{rank, fresh_dim()}})};
}

TensorList NonZero::eval(Tensors in) const {
  const Tensor marks = marks_of(in[0]);
  const Shape& shape = marks.shape();
  const auto elements = marks.as<bool>();
  const std::int64_t count = std::ranges::count(elements, true);
  MutableTensor indices(DatumType::i64, {static_cast<std::int64_t>(shape.size()), count});
  if (count > 0 && !shape.empty())
    write_indices(elements, Span(shape), indices.as<std::int64_t>().data(), count);
  return {std::move(indices).freeze()};
}

}  // namespace strata
