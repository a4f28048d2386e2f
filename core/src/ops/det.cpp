#include "strata/core/ops/det.h"

#include <algorithm>
#include <cmath>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Gaussian elimination with the greatest pivot of each column; `m` is n by n and is used up.
double determinant(std::vector<double>& m, std::size_t n) {
  double det = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(m[r * n + k]) > std::abs(m[pivot * n + k])) pivot = r;
    if (m[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      for (std::size_t c = 0; c < n; ++c) std::swap(m[pivot * n + c], m[k * n + c]);
      det = -det;
    }
    det *= m[k * n + k];
    for (std::size_t r = k + 1; r < n; ++r) {
      const double factor = m[r * n + k] / m[k * n + k];
      for (std::size_t c = k; c < n; ++c) m[r * n + c] -= factor * m[k * n + c];
    }
  }
  return det;
}

}  // namespace

FactList Det::output_facts(Facts in) const {
  check_arity("(C1) Det", in, 1, 1);
  check(is_float(in[0].dtype), "(C1) Det takes floats, ", in[0].dtype, " given");
  const ShapeFact& x = in[0].shape;
  if (x.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t rank = x.rank();
  check(rank >= 2 && may_be_equal(x[rank - 1], x[rank - 2]), "(C2) ", x, " are no square matrices");
  return {Fact::tensor(in[0].dtype, std::vector<Dim>(x.dims().begin(), x.dims().end() - 2))};
}

TensorList Det::eval(Tensors in) const {
  const Shape& x = in[0].shape();
  check_data(x.size() >= 2 && x[x.size() - 1] == x[x.size() - 2], "(C2) ", Span(x),
             " are no square matrices");
  const std::int64_t n = x.back();
  MutableTensor out(DatumType::f64, Shape(Span(x).first(x.size() - 2)));
  const Tensor wide = cast(in[0], DatumType::f64);
  const double* from = wide.as<double>().data();
  for (double& det : out.as<double>()) {
    std::vector<double> matrix(from, from + n * n);
    det = determinant(matrix, static_cast<std::size_t>(n));
    from += n * n;
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
