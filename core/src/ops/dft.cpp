#include "strata/core/ops/dft.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;

/// exp(sign * 2 pi i * k / n)
Complex root(std::int64_t k, std::int64_t n, double sign) {
  return std::polar(
      1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

Signal transformed_directly(const Signal& x, double sign) {
  const auto n = static_cast<std::int64_t>(x.size());
  Signal roots, out;
  for (std::int64_t k = 0; k < n; ++k) roots.push_back(root(k, n, sign));
  for (std::int64_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      sum += x[static_cast<std::size_t>(i)] * roots[static_cast<std::size_t>(k * i % n)];
    out.push_back(sum);
  }
  return out;
}

/// Even lengths are halved: X[k] = E[k] + root^k O[k], X[k + n/2] = E[k] - root^k O[k].
Signal transformed(const Signal& x, double sign) {
  const std::size_t n = x.size(), half = n / 2;
  if (n % 2 != 0) return transformed_directly(x, sign);
  Signal even(half), odd(half), out(n);
  for (std::size_t i = 0; i < half; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  even = transformed(even, sign);
  odd = transformed(odd, sign);
  for (std::size_t k = 0; k < half; ++k) {
    const Complex turned =
        root(static_cast<std::int64_t>(k), static_cast<std::int64_t>(n), sign) * odd[k];
    out[k] = even[k] + turned;
    out[k + half] = even[k] - turned;
  }
  return out;
}

struct DftGeometry {
  std::size_t axis;
  std::int64_t length;
  std::int64_t outputs;
  std::int64_t parts;  ///< numbers an output element has
};

DftGeometry geometry(const Dft& op, Tensors in) {
  const std::size_t axis = normalized_axis(to_integers(in[1])[0], in[0].rank());
  check_data(axis + 1 < in[0].rank(), "(C3) axis ", axis, " is the last of ", Span(in[0].shape()));
  const std::int64_t n = in[0].shape()[axis];
  const bool to_real = op.inverse && op.one_sided;
  const std::int64_t length = in.size() > 2 ? to_integers(in[2])[0] : to_real ? 2 * (n - 1) : n;
  check_data(length >= 1, "(C4) a transform of length ", length);
  return {axis, length, op.one_sided && !op.inverse ? length / 2 + 1 : length, to_real ? 1 : 2};
}

/// One line of x, `step` numbers apart, cut off or filled with zeros; of a half spectrum the other
/// half is its mirror.
Signal read_line(const Dft& op, const double* x, std::int64_t n, std::int64_t step,
                 std::int64_t parts, std::int64_t length) {
  const bool from_half = op.inverse && op.one_sided;
  const std::int64_t given = std::min(n, from_half ? length / 2 + 1 : length);
  Signal line(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < given; ++i)
    line[static_cast<std::size_t>(i)] = {x[i * step], parts == 2 ? x[i * step + 1] : 0};
  if (!from_half) return line;
  line[0] = line[0].real();
  if (length % 2 == 0)
    line[static_cast<std::size_t>(length / 2)] = line[static_cast<std::size_t>(length / 2)].real();
  for (std::int64_t i = 1; i < (length + 1) / 2; ++i)
    line[static_cast<std::size_t>(length - i)] = std::conj(line[static_cast<std::size_t>(i)]);
  return line;
}

}  // namespace

FactList Dft::output_facts(Facts in) const {
  check(in.size() == 2 || in.size() == 3, "(C1) Dft takes 2 to 3 inputs, ", in.size(), " given");
  check(is_float(in[0].dtype), "(C2) no transform of ", in[0].dtype);
  if (in[0].shape.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> out = in[0].shape.dims();
  check(out.size() >= 2 && (may_be_equal(out.back(), 1) || may_be_equal(out.back(), 2)),
        "(C2) no transform of shape ", in[0].shape);
  out.back() = inverse && one_sided ? 1 : 2;
  const auto known_axis = in[1].integers();
  if (!known_axis) {
    for (std::size_t a = 0; a + 1 < out.size(); ++a) out[a] = fresh_dim();
    return {Fact::tensor(in[0].dtype, std::move(out))};
  }
  const std::size_t axis = normalized_axis((*known_axis)[0], out.size());
  check(axis + 1 < out.size(), "(C3) axis ", axis, " is the last of ", in[0].shape);
  Dim length = inverse && one_sided ? Dim(2) * (out[axis] - 1) : out[axis];
  if (in.has(2)) {
    const auto given = in[2].dims();
    length = given ? (*given)[0] : fresh_dim();
  }
  check(length.constant().value_or(1) >= 1, "(C4) a transform of length ", length);
  out[axis] = one_sided && !inverse ? floor_div(length, 2) + 1 : length;
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList Dft::eval(Tensors in) const {
  const DftGeometry g = geometry(*this, in);
  const Tensor x = cast(in[0], DatumType::f64);
  const std::int64_t n = x.shape()[g.axis], parts = x.shape().back();
  const std::int64_t outer = product(Span(x.shape()).first(g.axis));
  const std::int64_t inner =
      product(Span(x.shape()).subspan(g.axis + 1)) / std::max<std::int64_t>(parts, 1);
  Shape shape = x.shape();
  shape[g.axis] = g.outputs;
  shape.back() = g.parts;
  MutableTensor out(DatumType::f64, shape);
  const double* from = x.as<double>().data();
  double* to = out.as<double>().data();
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < inner; ++j) {
      const double* line = from + (i * n * inner + j) * parts;
      const Signal y =
          transformed(read_line(*this, line, n, inner * parts, parts, g.length), inverse ? 1 : -1);
      for (std::int64_t k = 0; k < g.outputs; ++k) {
        const Complex value =
            y[static_cast<std::size_t>(k)] / (inverse ? static_cast<double>(g.length) : 1.0);
        double* element = to + ((i * g.outputs + k) * inner + j) * g.parts;
        element[0] = value.real();
        if (g.parts == 2) element[1] = value.imag();
      }
    }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
