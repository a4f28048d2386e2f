#include "strata/core/ops/resize.h"

#include <algorithm>
#include <cmath>

#include "ops/resize_weights.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// floor(size * scale), symbolically where the scale or its inverse is an integer.
Dim scaled_dim(const Dim& size, double scale) {
  if (const auto n = size.constant()) return resized_to(static_cast<double>(*n) * scale);
  const double inverse = std::round(1 / scale);
  if (scale == std::floor(scale)) return size * Dim(resized_to(scale));
  if (inverse * scale == 1 && inverse <= kLongestAxis)
    return floor_div(size, static_cast<std::int64_t>(inverse));
  return fresh_dim();
}

/// Calls `visit(outer, o, inner, from)` for each output of an axis; `from` is the offset of input 0
/// of its line.
template <class Visit>
void for_each_line(const Shape& in, std::size_t axis, std::int64_t out, Visit&& visit) {
  const std::int64_t outer = product(Span(in).first(axis)),
                     inner = product(Span(in).subspan(axis + 1));
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t o = 0; o < out; ++o)
      for (std::int64_t j = 0; j < inner; ++j) visit(o, i * in[axis] * inner + j, inner);
}

Shape with_size(Shape shape, std::size_t axis, std::int64_t size) {
  shape[axis] = size;
  return shape;
}

/// Each output a copy of the one input it is made of, or `outside`.
Tensor gathered(const Tensor& x, std::size_t axis, const AxisWeights& weights,
                const Tensor& outside) {
  MutableTensor out(x.dtype(),
                    with_size(x.shape(), axis, static_cast<std::int64_t>(weights.size())));
  visit_storage(x.dtype(), [&]<class T>(TypeTag<T>) {
    const auto from = x.storage_as<T>();
    auto to = out.storage_as<T>().begin();
    for_each_line(x.shape(), axis, static_cast<std::int64_t>(weights.size()),
                  [&](std::int64_t o, std::int64_t line, std::int64_t step) {
                    const auto& inputs = weights[static_cast<std::size_t>(o)];
                    *to++ = inputs.empty()
                                ? outside.storage_as<T>()[0]
                                : from[static_cast<std::size_t>(line + inputs[0].index * step)];
                  });
  });
  return std::move(out).freeze();
}

/// Each output a weighted sum of inputs, all f64.
Tensor summed(const Tensor& x, std::size_t axis, const AxisWeights& weights, double outside) {
  MutableTensor out(DatumType::f64,
                    with_size(x.shape(), axis, static_cast<std::int64_t>(weights.size())));
  const double* from = x.as<double>().data();
  double* to = out.as<double>().data();
  for_each_line(x.shape(), axis, static_cast<std::int64_t>(weights.size()),
                [&](std::int64_t o, std::int64_t line, std::int64_t step) {
                  const auto& inputs = weights[static_cast<std::size_t>(o)];
                  double sum = inputs.empty() ? outside : 0;
                  for (const WeightedInput& input : inputs)
                    sum += input.weight * from[line + input.index * step];
                  *to++ = sum;
                });
  return std::move(out).freeze();
}

/// f64 values rounded to `type`; integers end at the ends of their type.
Tensor rounded(const Tensor& values, DatumType type) {
  if (!is_integer(type)) return cast(values, type);
  const double span = std::exp2(static_cast<double>(bit_width(type)));
  const double least = is_signed_integer(type) ? -span / 2 : 0;
  MutableTensor out(DatumType::f64, values.shape());
  std::transform(values.as<double>().begin(), values.as<double>().end(), out.as<double>().begin(),
                 [&](double v) { return std::clamp(std::nearbyint(v), least, least + span - 1); });
  return cast(std::move(out).freeze(), type);
}

}  // namespace

FactList Resize::output_facts(Facts in) const {
  check_arity("(C1) Resize", in, 2, 3);
  const Fact &x = in[0], &target = in[1];
  const bool is_number = is_float(x.dtype) || is_integer(x.dtype) || x.dtype == DatumType::boolean;
  check(mode == ResizeMode::nearest || is_number, "(C2) no interpolation of ", x.dtype);
  check(target.dtype == DatumType::i64 || is_float(target.dtype), "(C4) a target of type ",
        target.dtype);
  if (x.shape.is_open()) return {Fact::tensor(x.dtype, ShapeFact::open())};
  const auto wanted = resized_axes(*this, x.shape.rank());
  if (target.shape.is_known())
    check(target.shape.rank() == 1 && may_be_equal(target.shape[0], Dim(wanted.size())),
          "(C4) a target of shape ", target.shape, " for ", wanted.size(), " axes");
  std::vector<Dim> out = x.shape.dims();
  const Tensor* known = target.constant();
  const auto concrete = x.shape.concrete();
  const auto sizes = aspect_ratio == AspectRatio::stretch && target.dtype == DatumType::i64
                         ? target.dims()
                         : std::nullopt;
  const auto resolved =
      known && concrete ? std::optional(scaled_axes(*this, *concrete, *known)) : std::nullopt;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Dim& size = out[wanted[i]];
    if (resolved)
      size = (*resolved)[i].out;
    else if (sizes)
      size = (*sizes)[i];
    else if (known && target.dtype != DatumType::i64)
      size = scaled_dim(size, number_at(*known, static_cast<std::int64_t>(i)));
    else
      size = fresh_dim();
  }
  return {Fact::tensor(x.dtype, std::move(out))};
}

TensorList Resize::eval(Tensors in) const {
  const auto wanted = resized_axes(*this, in[0].rank());
  std::vector<ResizeAxis> work = scaled_axes(*this, in[0].shape(), in[1]);
  if (coordinates == ResizeCoordinates::tf_crop_and_resize)
    read_roi(work, in.size() > 2 ? &in[2] : nullptr);
  const DatumType type = in[0].dtype();
  const bool copies = mode == ResizeMode::nearest;
  Tensor out = copies ? in[0] : cast(in[0], DatumType::f64);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_identity(*this, work[i])) continue;
    check_data(work[i].in > 0 || work[i].out == 0, "(C5) an empty axis ", wanted[i],
               " is resized to ", work[i].out);
    const AxisWeights weights = resize_weights(*this, work[i]);
    out = copies ? gathered(out, wanted[i], weights, cast(Tensor::scalar(extrapolation), type))
                 : summed(out, wanted[i], weights, extrapolation);
  }
  return {copies ? out : rounded(out, type)};
}

}  // namespace strata
