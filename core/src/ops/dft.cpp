#include "strata/core/ops/dft.h"

#include "fft.h"
#include "ops/movement.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

struct DftGeometry {
  std::size_t axis;
  std::int64_t length;
  std::int64_t outputs;
  std::int64_t parts;  ///< numbers an output element has
};

std::int64_t scalar(const Tensor& x) {
  check_data(x.size() == 1, "(C1) one number wanted, shape ", Span(x.shape()), " given");
  return to_integers(x)[0];
}

DftGeometry geometry(const Dft& op, Tensors in) {
  const std::size_t axis = axis_of_data(scalar(in[1]), in[0].rank());
  check_data(axis + 1 < in[0].rank(), "(C3) axis ", axis, " is the last of ", Span(in[0].shape()));
  const std::int64_t parts = in[0].shape().back();
  check_data(parts == 1 || parts == 2, "(C2) no transform of shape ", Span(in[0].shape()));
  const std::int64_t n = in[0].shape()[axis];
  const bool to_real = op.inverse && op.one_sided;
  const std::int64_t length = in.size() > 2 ? scalar(in[2]) : to_real ? 2 * (n - 1) : n;
  check_data(length >= 1, "(C4) a transform of length ", length);
  return {axis, length, op.one_sided && !op.inverse ? length / 2 + 1 : length, to_real ? 1 : 2};
}

/// Where the lines of a tensor [outer, n, inner, parts] lie.
struct Lines {
  std::int64_t outer, n, inner, parts;

  static Lines of(const Shape& shape, std::size_t axis) {
    const std::int64_t between = product(Span(shape).subspan(axis + 1, shape.size() - axis - 2));
    return {product(Span(shape).first(axis)), shape[axis], between, shape.back()};
  }
  std::int64_t begin(std::int64_t i, std::int64_t j) const { return (i * n * inner + j) * parts; }
  std::int64_t step() const { return inner * parts; }
};

/// Fills the second half of a spectrum with the mirrored first one, whose ends become real.
void mirror(std::span<Complex> line) {
  const std::size_t n = line.size();
  line[0] = line[0].real();
  if (n % 2 == 0) line[n / 2] = line[n / 2].real();
  for (std::size_t i = 1; i < (n + 1) / 2; ++i) line[n - i] = std::conj(line[i]);
}

/// Reads a line of x, cut off or filled with zeros. The inverse transform is the conjugate of that
/// of the conjugate.
template <class T>
void read_line(const Dft& op, const T* x, const Lines& lines, std::span<Complex> line) {
  const auto length = static_cast<std::int64_t>(line.size());
  const bool from_half = op.inverse && op.one_sided;
  const std::int64_t given = std::min(lines.n, from_half ? length / 2 + 1 : length);
  const double sign = op.inverse ? -1 : 1;
  std::fill(line.begin(), line.end(), 0);
  for (std::int64_t i = 0; i < given; ++i, x += lines.step())
    line[static_cast<std::size_t>(i)] = {double{x[0]}, lines.parts == 2 ? sign * x[1] : 0};
  if (from_half) mirror(line);
}

template <class T>
void write_line(const Dft& op, std::span<const Complex> line, const Lines& lines, T* y) {
  const double real_scale = op.inverse ? 1 / static_cast<double>(line.size()) : 1;
  const double imaginary_scale = op.inverse ? -real_scale : 1;
  for (std::int64_t k = 0; k < lines.n; ++k, y += lines.step()) {
    const Complex number = line[static_cast<std::size_t>(k)];
    y[0] = static_cast<T>(number.real() * real_scale);
    if (lines.parts == 2) y[1] = static_cast<T>(number.imag() * imaginary_scale);
  }
}

/// Transforms all lines of x into y, each by `transform`.
template <class T, class Transform>
void transform_lines(const Dft& op, const Tensor& x, MutableTensor& y, const DftGeometry& g,
                     const Transform& transform) {
  const Lines from = Lines::of(x.shape(), g.axis), to = Lines::of(y.shape(), g.axis);
  MutableTensor room(DatumType::c128, {g.length});
  const std::span<Complex> line = room.as<Complex>();
  for (std::int64_t i = 0; i < to.outer; ++i)
    for (std::int64_t j = 0; j < to.inner; ++j) {
      read_line(op, x.as<T>().data() + from.begin(i, j), from, line);
      transform(line);
      write_line(op, line, to, y.as<T>().data() + to.begin(i, j));
    }
}

/// The same by a transform for real or for complex numbers.
template <class T>
void transform_lines(const Dft& op, const Tensor& x, MutableTensor& y, const DftGeometry& g) {
  if (y.size() == 0) return;
  const auto length = static_cast<std::size_t>(g.length);
  if (x.shape().back() == 1) {
    RealFft fft(length);
    return transform_lines<T>(op, x, y, g, [&](std::span<Complex> line) {
      g.outputs < g.length ? fft.transform_half(line) : fft.transform(line);
    });
  }
  Fft fft(length);
  transform_lines<T>(op, x, y, g, [&](std::span<Complex> line) { fft.transform(line); });
}

}  // namespace

FactList Dft::output_facts(Facts in) const {
  check_arity("(C1) Dft", in, 2, 3);
  check(is_float(in[0].dtype), "(C2) no transform of ", in[0].dtype);
  if (in[0].shape.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> out = in[0].shape.dims();
  check(out.size() >= 2 && (may_be_equal(out.back(), 1) || may_be_equal(out.back(), 2)),
        "(C2) no transform of shape ", in[0].shape);
  out.back() = inverse && one_sided ? 1 : 2;
  for (std::size_t i = 1; i < in.size(); ++i)
    check(!in.has(i) || may_be_equal(in[i].shape.volume().value_or(Dim(1)), 1),
          "(C1) one number wanted, shape ", in[i].shape, " given");
  const auto known_axis = only_integer(in[1]);
  if (!known_axis) {
    for (std::size_t a = 0; a + 1 < out.size(); ++a) out[a] = fresh_dim();
    return {Fact::tensor(in[0].dtype, std::move(out))};
  }
  const std::size_t axis = normalized_axis(*known_axis, out.size());
  check(axis + 1 < out.size(), "(C3) axis ", axis, " is the last of ", in[0].shape);
  Dim length = inverse && one_sided ? Dim(2) * (out[axis] - 1) : out[axis];
  if (in.has(2)) {
    const auto given = only_dim(in[2]);
    length = given ? *given : fresh_dim();
  }
  check(length.constant().value_or(1) >= 1, "(C4) a transform of length ", length);
  out[axis] = one_sided && !inverse ? floor_div(length, 2) + 1 : length;
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList Dft::eval(Tensors in) const {
  const DftGeometry g = geometry(*this, in);
  const DatumType type = in[0].dtype();
  const Tensor x = type == DatumType::f32 ? in[0] : cast(in[0], DatumType::f64);
  Shape shape = x.shape();
  shape[g.axis] = g.outputs;
  shape.back() = g.parts;
  MutableTensor y(x.dtype(), shape);
  if (type == DatumType::f32)
    transform_lines<float>(*this, x, y, g);
  else
    transform_lines<double>(*this, x, y, g);
  return {cast(std::move(y).freeze(), type)};
}

}  // namespace strata
