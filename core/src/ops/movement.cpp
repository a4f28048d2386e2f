#include "ops/movement.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace strata {

Tensor strided_copy(const Tensor& data, Span shape, Span strides, std::int64_t offset) {
  MutableTensor out(data.dtype(), Shape(shape));
  if (out.size() == 0) return std::move(out).freeze();
  const std::size_t inner = shape.empty() ? 0 : shape.size() - 1;
  const std::int64_t run = shape.empty() ? 1 : shape[inner],
                     step = shape.empty() ? 1 : strides[inner];
  visit_storage(data.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = data.storage_as<T>().data();
    T* to = out.storage_as<T>().data();
    for_each_index(shape.first(inner), [&](const Shape& index) {
      std::int64_t at = offset;
      for (std::size_t i = 0; i < inner; ++i) at += index[i] * strides[i];
      if (step == 1) {
        to = std::copy_n(from + at, run, to);
      } else {
        for (std::int64_t i = 0; i < run; ++i) *to++ = from[at + i * step];
      }
    });
  });
  return std::move(out).freeze();
}

void append(std::vector<Dim>& to, std::span<const Dim> dims) {
  for (const Dim& dim : dims) to.push_back(dim);
}

void copy_elements(const Tensor& from, std::int64_t first, std::int64_t count, MutableTensor& to,
                   std::int64_t place) {
  if (count == 0) return;
  if (from.dtype() == DatumType::string) {
    std::copy_n(from.as<std::string>().data() + first, count, to.as<std::string>().data() + place);
  } else if (from.dtype() == DatumType::dim) {
    std::copy_n(from.as<Dim>().data() + first, count, to.as<Dim>().data() + place);
  } else {
    const auto width = static_cast<std::int64_t>(bit_width(from.dtype()) / 8);
    std::memcpy(to.data() + place * width, from.data() + first * width,
                static_cast<std::size_t>(count * width));
  }
}

void refuse_index(std::int64_t index, std::int64_t extent) {
  fail(ErrorKind::run_time, "index ", index, " is outside an axis of ", extent);
}

bool is_never_negative(const Dim& dim) { return SymbolScope().provably_at_least(dim, 0); }

Dim at_least_zero(const Dim& dim) { return is_never_negative(dim) ? dim : max(dim, 0); }

std::optional<std::int64_t> known_length(const Fact& vector) {
  const auto shape = vector.shape.concrete();
  if (!shape || shape->size() > 1) return std::nullopt;
  return shape->empty() ? 1 : (*shape)[0];
}

namespace {

std::vector<std::size_t> sorted(const Shape& axes, std::size_t rank) {
  std::vector<std::size_t> out;
  out.reserve(axes.size());
  for (const std::int64_t axis : axes) out.push_back(normalized_axis(axis, rank));
  std::sort(out.begin(), out.end());
  check(std::adjacent_find(out.begin(), out.end()) == out.end(), "axes ", Span(axes),
        " name an axis twice");
  return out;
}

}  // namespace

std::optional<Dim> known_size(const Fact& number) {
  if (const auto dims = number.dims()) return (*dims)[0];
  if (const Tensor* constant = number.constant())
    return to_integers(cast(*constant, DatumType::i64))[0];
  return std::nullopt;
}

std::optional<std::vector<std::size_t>> known_axes(const Fact& axes, std::size_t rank) {
  const auto values = axes.integers();
  if (!values) return std::nullopt;
  return sorted(*values, rank);
}

std::vector<std::size_t> sorted_axes(const Tensor& axes, std::size_t rank) {
  try {
    return sorted(to_integers(axes), rank);
  } catch (const Error& error) {
    fail(ErrorKind::run_time, error.message());
  }
}

Shape all_axes(std::size_t rank) {
  Shape axes(rank, 0);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::size_t axis_of_data(std::int64_t axis, std::size_t rank) {
  const auto wide = static_cast<std::int64_t>(rank);
  check_data(axis >= -wide && axis < wide, "axis ", axis, " is outside rank ", rank);
  return static_cast<std::size_t>(axis < 0 ? axis + wide : axis);
}

}  // namespace strata
