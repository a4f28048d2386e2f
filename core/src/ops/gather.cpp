#include "strata/core/ops/gather.h"

#include <algorithm>

#include "ops/movement.h"

namespace strata {
namespace {

/// Constant indices up to this many are checked before the run.
constexpr std::int64_t kCheckedIndices = 1024;

}  // namespace

FactList Gather::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &data = in[0].shape, &indices = in[1].shape;
  check(is_integer(in[1].dtype), "(C1) the indices are ", in[1], ", no integers");
  if (data.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t at = normalized_axis(axis, data.rank());
  if (indices.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const auto extent = data[at].constant();
  if (const Tensor* known = in[1].constant(); known && extent && known->size() <= kCheckedIndices) {
    const Shape picks = to_integers(*known);
    for (const std::int64_t index : picks)
      check(index >= -*extent && index < *extent, "(C3) index ", index, " is outside an axis of ",
            *extent);
  }
  const auto before = data.dims().begin(), cut = before + static_cast<std::ptrdiff_t>(at);
  std::vector<Dim> dims(before, cut);
  append(dims, indices.dims());
  append(dims, data.dims().subspan(at + 1));
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Gather::eval(Tensors in) const {
  const Tensor& data = in[0];
  const std::size_t at = axis_of_data(axis, data.rank());
  const std::int64_t extent = data.shape()[at];
  Shape picks = to_integers(in[1]);
  for (std::int64_t& index : picks) index = checked_index(index, extent);
  Shape shape(Span(data.shape()).first(at));
  for (const std::int64_t size : in[1].shape()) shape.push_back(size);
  for (const std::int64_t size : Span(data.shape()).subspan(at + 1)) shape.push_back(size);
  MutableTensor out(data.dtype(), shape);
  const std::int64_t outer = product(Span(data.shape()).first(at)),
                     inner = product(Span(data.shape()).subspan(at + 1));
  std::int64_t place = 0;
  for (std::int64_t row = 0; row < outer; ++row)
    for (const std::int64_t index : picks) {
      copy_elements(data, (row * extent + index) * inner, inner, out, place);
      place += inner;
    }
  return {std::move(out).freeze()};
}

}  // namespace strata
