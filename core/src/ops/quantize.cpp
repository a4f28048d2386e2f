#include "strata/core/ops/quantize.h"

#include <algorithm>
#include <cmath>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

bool is_number(DatumType type) { return is_float(type) || is_integer(type); }

/// Where the scales lie that belong to each element of x.
struct Layout {
  std::int64_t axis = 1;
  std::int64_t block_size = 0;

  /// Throws: invalid_model when the shapes, as far as they are known, do not fit.
  void check_shapes(const ShapeFact& x, const ShapeFact& scale) const;
  /// The index of the scale for each element.
  std::vector<std::size_t> indices(Span x, Span scale) const;
};

void Layout::check_shapes(const ShapeFact& x, const ShapeFact& scale) const {
  if (x.is_open() || scale.is_open() || scale.volume() == Dim(1)) return;
  if (x.rank() == 0)
    return check(may_be_single(scale), "(C4) scales of shape ", scale, " for one number");
  const std::size_t at = normalized_axis(axis, x.rank());
  if (block_size == 0) {
    check(scale.rank() == 1 && may_be_equal(scale[0], x[at]), "(C4) scales of shape ", scale,
          " do not fit axis ", at, " of ", x);
    return;
  }
  check(scale.rank() == x.rank(), "(C4) scales of shape ", scale, " do not fit blocks of ", x);
  for (std::size_t a = 0; a < x.rank(); ++a) {
    const Dim wanted = a == at ? ceil_div(x[a], Dim(block_size)) : x[a];
    check(may_be_equal(scale[a], wanted), "(C4) scales of shape ", scale, " do not fit blocks of ",
          block_size, " along axis ", at, " of ", x);
  }
}

std::vector<std::size_t> Layout::indices(Span x, Span scale) const {
  std::vector<std::size_t> out;
  out.reserve(static_cast<std::size_t>(product(x)));
  const bool is_single = product(scale) == 1;
  const std::size_t at = is_single ? 0 : normalized_axis(axis, x.size());
  const Shape strides = row_major_strides(scale);
  for_each_index(x, [&](const Shape& index) {
    std::int64_t offset = 0;
    if (!is_single && block_size == 0) offset = index[at];
    for (std::size_t a = 0; !is_single && block_size > 0 && a < x.size(); ++a)
      offset += strides[a] * (a == at ? index[a] / block_size : index[a]);
    out.push_back(static_cast<std::size_t>(offset));
  });
  return out;
}

void check_inputs(std::string_view op, Facts in, DatumType zero_point, const Layout& layout) {
  check_arity(op, in, 2, 3);
  check(is_number(in[0].dtype) && is_number(in[1].dtype), "(C2) ", in[0].dtype,
        " is no number, or its scale ", in[1].dtype);
  if (in.has(2)) {
    check(in[2].dtype == zero_point, "(C3) the zero point is ", in[2].dtype, ", not ", zero_point);
    const bool both_single = may_be_single(in[1].shape) && may_be_single(in[2].shape);
    check(both_single || compatible(Fact::tensor(zero_point, in[1].shape), in[2].without_value()),
          "(C3) zero points of shape ", in[2].shape, " do not go with scales of shape ",
          in[1].shape);
  }
  layout.check_shapes(in[0].shape, in[1].shape);
}

void check_values(Tensors in, const Layout& layout) {
  check_data(in.size() < 3 || in[2].size() == in[1].size(), "(C3) zero points of shape ",
             Span(in.back().shape()), " do not go with scales of shape ", Span(in[1].shape()));
  layout.check_shapes(in[0].shape(), in[1].shape());
}

/// The elements as f64.
std::vector<double> numbers(const Tensor& tensor) {
  const Tensor wide = cast(tensor, DatumType::f64);
  const auto values = wide.as<double>();
  return {values.begin(), values.end()};
}

/// The zero points, 0 where there are none.
std::vector<double> zero_points(Tensors in) {
  return in.size() > 2 ? numbers(in[2])
                       : std::vector<double>(static_cast<std::size_t>(in[1].size()), 0.0);
}

struct IntegerRange {
  double least;
  double greatest;
};

IntegerRange range_of(DatumType type) {
  const auto bits = static_cast<int>(bit_width(type));
  if (is_unsigned_integer(type)) return {0, std::ldexp(1, bits) - 1};
  return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1};
}

}  // namespace

FactList Quantize::output_facts(Facts in) const {
  check_inputs("(C1) Quantize", in, to, {axis, block_size});
  const bool is_narrow_float = is_float(to) && bit_width(to) <= 8;
  check(is_integer(to) || is_narrow_float, "(C2) nothing is quantised to ", to);
  return {Fact::tensor(to, in[0].shape)};
}

TensorList Quantize::eval(Tensors in) const {
  check_values(in, {axis, block_size});
  const auto at = Layout{axis, block_size}.indices(in[0].shape(), in[1].shape());
  MutableTensor quotients(DatumType::f64, in[0].shape());
  const auto values = quotients.as<double>();
  const std::vector<double> x = numbers(cast(in[0], precision)),
                            scale = numbers(cast(in[1], precision));
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = x[i] / scale[at[i]];
  MutableTensor rounded =
      MutableTensor::copy_of(cast(cast(std::move(quotients).freeze(), precision), DatumType::f64));
  const std::vector<double> zero = zero_points(in);
  const bool to_integer = is_integer(to);
  const IntegerRange range = to_integer ? range_of(to) : IntegerRange{};
  const auto out = rounded.as<double>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (to_integer ? std::nearbyint(out[i]) : out[i]) + zero[at[i]];
    if (to_integer) out[i] = std::fmin(std::fmax(out[i], range.least), range.greatest);
  }
  return {cast(std::move(rounded).freeze(), to, overflow)};
}

FactList Dequantize::output_facts(Facts in) const {
  check_inputs("(C1) Dequantize", in, in.size() > 0 ? in[0].dtype : to, {axis, block_size});
  check(is_float(to) && !is_packed(to), "(C2) nothing is dequantised to ", to);
  return {Fact::tensor(to, in[0].shape)};
}

TensorList Dequantize::eval(Tensors in) const {
  check_values(in, {axis, block_size});
  const auto at = Layout{axis, block_size}.indices(in[0].shape(), in[1].shape());
  const std::vector<double> x = numbers(in[0]), scale = numbers(in[1]), zero = zero_points(in);
  MutableTensor out(DatumType::f64, in[0].shape());
  const auto values = out.as<double>();
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = (x[i] - zero[at[i]]) * scale[at[i]];
  return {cast(std::move(out).freeze(), to)};
}

}  // namespace strata
