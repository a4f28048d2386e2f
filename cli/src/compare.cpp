#include "compare.h"

#include <cmath>
#include <complex>
#include <vector>

namespace strata::cli {
namespace {

template <class T>
std::vector<double> parts(std::span<const std::complex<T>> numbers) {
  std::vector<double> out;
  for (const auto& number : numbers) {
    out.push_back(number.real());
    out.push_back(number.imag());
  }
  return out;
}

/// The elements as doubles; of complex numbers the real and the imaginary part of each.
std::vector<double> numbers(const Tensor& tensor) {
  if (tensor.dtype() == DatumType::c64) return parts(tensor.as<std::complex<float>>());
  if (tensor.dtype() == DatumType::c128) return parts(tensor.as<std::complex<double>>());
  const Tensor wide = cast(tensor, DatumType::f64);
  const auto values = wide.as<double>();
  return {values.begin(), values.end()};
}

/// How many times the allowed distance two numbers are apart; 0 when they are the same.
double excess(double actual, double expected, const Tolerance& tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  if (!std::isfinite(actual) || !std::isfinite(expected)) return HUGE_VAL;
  return std::abs(actual - expected) /
         (tolerance.absolute + tolerance.relative * std::abs(expected));
}

std::string place(const Tensor& tensor, std::size_t element) {
  Shape index(tensor.rank(), 0);
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t axis = tensor.rank(); axis-- > 0;) {
    index[axis] = rest % tensor.shape()[axis];
    rest /= tensor.shape()[axis];
  }
  return cat("element ", std::span<const std::int64_t>(index));
}

std::optional<std::string> float_difference(const Tensor& actual, const Tensor& expected,
                                            const Tolerance& tolerance) {
  const std::vector<double> a = numbers(actual), e = numbers(expected);
  std::size_t wrong = 0, worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double by = excess(a[i], e[i], tolerance);
    if (by <= 1) continue;
    ++wrong;
    if (by > most) {
      most = by;
      worst = i;
    }
  }
  if (wrong == 0) return std::nullopt;
  const std::size_t per_element = is_complex(actual.dtype()) ? 2 : 1;
  return cat(place(actual, worst / per_element), " is ", a[worst], ", expected ", e[worst],
             " (worst of ", wrong, " wrong in ", e.size(), ')');
}

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(const std::string& value) { return in_quotes(value); }
template <class T>
std::string shown(const T& value) {
  return cat(static_cast<double>(value));
}
std::string shown(std::int64_t value) { return cat(value); }
std::string shown(std::uint64_t value) { return cat(value); }

template <class T>
std::optional<std::string> exact_difference(const Tensor& actual, const Tensor& expected) {
  const auto a = actual.as<T>(), e = expected.as<T>();
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < e.size(); ++i)
    if (!(a[i] == e[i]) && wrong++ == 0) first = i;
  if (wrong == 0) return std::nullopt;
  return cat(place(actual, first), " is ", shown(a[first]), ", expected ", shown(e[first]),
             " (first of ", wrong, " wrong in ", e.size(), ')');
}

std::optional<std::string> tensor_difference(const Tensor& actual, const Tensor& expected,
                                             const Tolerance& tolerance) {
  if (actual.dtype() != expected.dtype() || !(actual.shape() == expected.shape()))
    return cat(actual.dtype(), std::span<const std::int64_t>(actual.shape()), ", expected ",
               expected.dtype(), std::span<const std::int64_t>(expected.shape()));
  if (is_float(actual.dtype()) || is_complex(actual.dtype()))
    return float_difference(actual, expected, tolerance);
  const Tensor a = is_packed(actual.dtype()) ? unpacked(actual) : actual;
  const Tensor e = is_packed(expected.dtype()) ? unpacked(expected) : expected;
  if (a.dtype() == DatumType::i64) return exact_difference<std::int64_t>(a, e);
  if (a.dtype() == DatumType::u64) return exact_difference<std::uint64_t>(a, e);
  if (a.dtype() == DatumType::string) return exact_difference<std::string>(a, e);
  if (a.dtype() == DatumType::boolean) return exact_difference<bool>(a, e);
  return exact_difference<std::int64_t>(cast(a, DatumType::i64), cast(e, DatumType::i64));
}

std::optional<std::string> sequence_difference(const Sequence& actual, const Sequence& expected,
                                               const Tolerance& tolerance) {
  if (actual.items.size() != expected.items.size())
    return cat("a sequence of ", actual.items.size(), " items, expected ", expected.items.size());
  for (std::size_t i = 0; i < expected.items.size(); ++i)
    if (auto found = difference(actual.items[i], expected.items[i], tolerance))
      return cat("item ", i, ": ", *found);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> difference(const Value& actual, const Value& expected,
                                      const Tolerance& tolerance) {
  if (!(actual.type() == expected.type())) {
    const bool both_tensors = actual.is_tensor() && expected.is_tensor();
    if (!both_tensors) return cat(actual.type(), ", expected ", expected.type());
  }
  switch (expected.type().kind) {
    case ValueType::Kind::tensor:
      return tensor_difference(actual.tensor(), expected.tensor(), tolerance);
    case ValueType::Kind::sequence:
      return sequence_difference(actual.sequence(), expected.sequence(), tolerance);
    case ValueType::Kind::optional:
      break;
  }
  const auto &a = actual.optional().value, &e = expected.optional().value;
  if (!a && !e) return std::nullopt;
  if (!a || !e) return cat(a ? "a value" : "no value", ", expected ", e ? "one" : "none");
  return difference(*a, *e, tolerance);
}

}  // namespace strata::cli
