#include "strata/core/ops/layer_norm.h"

#include <cmath>
#include <numeric>

#include "ops/movement.h"
#include "ops/number_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

void normalise(std::span<double> row, double epsilon) {
  const auto count = static_cast<double>(row.size());
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
  double variance = 0;
  for (double& x : row) {
    x -= mean;
    variance += x * x / count;
  }
  for (double& x : row) x /= std::sqrt(variance + epsilon);
}

/// What `apply(value, operand)` makes of each value and the operand stretched over it.
template <class Apply>
void combine(std::span<double> values, Span shape, const Tensor& operand, const Apply& apply) {
  const Tensor wide = cast(operand, DatumType::f64);
  const auto from = wide.as<double>();
  for_each_broadcast(shape, shape, wide.shape(), [&](std::int64_t i, std::int64_t j) {
    double& value = values[static_cast<std::size_t>(i)];
    value = apply(value, from[static_cast<std::size_t>(j)]);
  });
}

}  // namespace

FactList LayerNorm::output_facts(Facts in) const {
  check_arity("(C1) LayerNorm", in, 1, 3);
  const Fact& x = in[0];
  check(is_float(x.dtype) && !is_packed(x.dtype), "(C2) LayerNorm is not defined on ", x.dtype);
  if (x.shape.is_known()) (void)normalized_axis(axis, x.shape.rank());
  for (std::size_t i = 1; i < in.size(); ++i) {
    check(in[i].dtype == x.dtype, "(C2) LayerNorm of ", x.dtype, " and ", in[i].dtype);
    if (x.shape.is_open() || in[i].shape.is_open()) continue;
    const ShapeFact joined = broadcast(x.shape, in[i].shape);
    bool fits = joined.rank() == x.shape.rank();
    for (std::size_t a = 0; fits && a < joined.rank(); ++a)
      fits = may_be_equal(joined[a], x.shape[a]);
    check(fits, "(C4) ", in[i].shape, " does not stretch to ", x.shape);
  }
  return {Fact::tensor(x.dtype, x.shape)};
}

TensorList LayerNorm::eval(Tensors in) const {
  const Shape& shape = in[0].shape();
  const std::size_t from = axis_of_data(axis, shape.size());
  const auto length = static_cast<std::size_t>(product(Span(shape).subspan(from)));
  MutableTensor work = MutableTensor::copy_of(cast(in[0], DatumType::f64));
  const auto values = work.as<double>();
  for (std::size_t row = 0; row < values.size(); row += length)
    normalise(values.subspan(row, length), epsilon);
  for (std::size_t i = 1; i < in.size(); ++i) {
    check_data(broadcast(shape, in[i].shape()) == shape, "(C4) ", Span(in[i].shape()),
               " does not stretch to ", Span(shape));
    if (i == 1)
      combine(values, shape, in[i], std::multiplies<>{});
    else
      combine(values, shape, in[i], std::plus<>{});
  }
  return {cast(std::move(work).freeze(), in[0].dtype())};
}

}  // namespace strata
