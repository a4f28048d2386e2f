#include "strata/core/ops/shape_of.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

std::size_t clamped_axis(std::int64_t axis, std::size_t rank) {
  const auto wide = static_cast<std::int64_t>(rank);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + wide : axis, 0, wide));
}

/// The part of `dims` from `op.start` to `op.end`.
template <class T>
std::span<const T> chosen(const ShapeOf& op, std::span<const T> dims) {
  const std::size_t rank = dims.size();
  const std::size_t begin = clamped_axis(op.start, rank);
  const std::size_t end = op.end ? clamped_axis(*op.end, rank) : rank;
  return end > begin ? dims.subspan(begin, end - begin) : std::span<const T>{};
}

}  // namespace

FactList ShapeOf::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].is_tensor(), "(C1) ShapeOf reads a ", in[0].type(), ", which is no tensor");
  if (in[0].shape.is_open()) return {Fact::tensor(DatumType::i64, {{fresh_dim()}})};
  return {Fact::of(dims_tensor(chosen(*this, std::span<const Dim>(in[0].shape.dims()))))};
}

TensorList ShapeOf::eval(Tensors in) const {
  return {Tensor::vector<std::int64_t>(chosen(*this, Span(in[0].shape())))};
}

}  // namespace strata
