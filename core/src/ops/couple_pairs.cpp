#include "strata/core/ops/couple_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// More classes would make pairs beyond any model.
constexpr std::int64_t kMostClasses = 1 << 16;

std::int64_t pair_count(std::int64_t classes) { return classes * (classes - 1) / 2; }

/// The symmetric matrix Q of the quadratic form: sum of r_ji^2 on the diagonal, -r_ji r_ij off it.
std::vector<double> quadratic_form(const double* pairs, std::size_t k) {
  std::vector<double> r(k * k, 0), q(k * k, 0);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = i + 1; j < k; ++j) {
      r[i * k + j] = *pairs++;
      r[j * k + i] = 1 - r[i * k + j];
    }
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      if (i == j) continue;
      q[i * k + i] += r[j * k + i] * r[j * k + i];
      q[i * k + j] = -r[j * k + i] * r[i * k + j];
    }
  return q;
}

/// One sweep: moves each class to where its own equation holds, then scales p to sum 1 again.
void sweep(const std::vector<double>& q, std::vector<double>& p, std::vector<double>& qp) {
  const std::size_t k = p.size();
  double pqp = std::inner_product(p.begin(), p.end(), qp.begin(), 0.0);
  for (std::size_t t = 0; t < k; ++t) {
    const double step = (pqp - qp[t]) / q[t * k + t];
    const double scale = 1 + step;
    p[t] += step;
    pqp = (pqp + step * (step * q[t * k + t] + 2 * qp[t])) / scale / scale;
    for (std::size_t j = 0; j < k; ++j) {
      qp[j] = (qp[j] + step * q[t * k + j]) / scale;
      p[j] /= scale;
    }
  }
}

std::vector<double> coupled(const double* pairs, std::size_t k) {
  const std::vector<double> q = quadratic_form(pairs, k);
  std::vector<double> p(k, 1 / static_cast<double>(k)), qp(k);
  const double tolerance = 0.005 / static_cast<double>(k);
  for (std::size_t round = 0; round < std::max<std::size_t>(100, k); ++round) {
    for (std::size_t t = 0; t < k; ++t)
      qp[t] = std::inner_product(p.begin(), p.end(), &q[t * k], 0.0);
    const double pqp = std::inner_product(p.begin(), p.end(), qp.begin(), 0.0);
    const bool is_done = std::all_of(
        qp.begin(), qp.end(), [&](double value) { return std::abs(value - pqp) < tolerance; });
    if (is_done) break;
    sweep(q, p, qp);
  }
  return p;
}

}  // namespace

FactList CouplePairs::output_facts(Facts in) const {
  check_arity("(C1) CouplePairs", in, 1, 1);
  check(is_float(in[0].dtype), "(C1) CouplePairs takes floats, ", in[0].dtype, " given");
  check(classes >= 2 && classes <= kMostClasses, "(C3) ", classes, " classes");
  const ShapeFact& shape = in[0].shape;
  check(shape.is_open() || (shape.rank() == 2 && may_be_equal(shape[1], pair_count(classes))),
        "(C2) pairs of shape ", shape, " for ", classes, " classes");
  return {Fact::tensor(in[0].dtype,
                       std::vector<Dim>{shape.is_open() ? fresh_dim() : shape[0], classes})};
}

TensorList CouplePairs::eval(Tensors in) const {
  const std::int64_t pairs = pair_count(classes);
  check_data(in[0].rank() == 2 && in[0].shape()[1] == pairs, "(C2) pairs of shape ",
             Span(in[0].shape()), " for ", classes, " classes");
  const Tensor given = cast(in[0], DatumType::f64);
  MutableTensor out(DatumType::f64, {in[0].shape()[0], classes});
  double* to = out.as<double>().data();
  for (std::int64_t n = 0; n < in[0].shape()[0]; ++n) {
    const auto row =
        coupled(given.as<double>().data() + n * pairs, static_cast<std::size_t>(classes));
    to = std::copy(row.begin(), row.end(), to);
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
