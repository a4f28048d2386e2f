#include "tensor_cast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "number_text.h"

namespace strata {
namespace {

template <class T>
constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool is_8_bit_float =
    std::is_same_v<T, f8e4m3fn> || std::is_same_v<T, f8e4m3fnuz> || std::is_same_v<T, f8e5m2> ||
    std::is_same_v<T, f8e5m2fnuz> || std::is_same_v<T, f8e8m0>;
template <class T>
constexpr bool is_object = std::is_same_v<T, std::string> || std::is_same_v<T, Dim>;

/// The widest type of T's kind; it holds every T exactly.
template <class T>
using Wide = std::conditional_t<
    is_complex_type<T>, std::complex<double>,
    std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t,
                       std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>>;

/// The float next to `value` whose last bit is set unless `value` is a float: rounding it again, to
/// fewer bits, gives what rounding `value` at once would.
float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  const double excess = std::fabs(static_cast<double>(nearest)) - std::fabs(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (excess > 0) --bits;  // toward zero; from infinity to the largest finite
  return std::bit_cast<float>(bits | 1);
}

template <class To, class From>
To converted(From value, Narrowing narrowing) {
  if constexpr (is_complex_type<From> && std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (is_complex_type<From> && is_complex_type<To>) {
    return To(value);
  } else if constexpr (is_complex_type<From>) {
    return converted<To>(value.real(), narrowing);
  } else if constexpr (is_complex_type<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_same_v<From, double>) {
    return truncated<To>(value);
  } else if constexpr (std::is_same_v<To, f8e8m0>) {
    return To(rounded_to_odd(static_cast<double>(value)), narrowing.rounding, narrowing.overflow);
  } else if constexpr (is_8_bit_float<To>) {
    return To(rounded_to_odd(static_cast<double>(value)), narrowing.overflow);
  } else if constexpr (std::is_same_v<To, f16> || std::is_same_v<To, bf16>) {
    return To(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class From>
Wide<From> widened(const From& value) {
  if constexpr (std::is_arithmetic_v<From> || is_complex_type<From>) {
    return static_cast<Wide<From>>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

template <class From>
void write_all(std::span<const From> from, const MutableTensorView& to, std::size_t offset,
               Narrowing narrowing) {
  visit_type(to.dtype, [&](auto tag) {
    using To = typename decltype(tag)::type;
    if constexpr (!is_object<To>) {
      To* out = to.as<To>() + offset;
      for (std::size_t i = 0; i < from.size(); ++i) out[i] = converted<To>(from[i], narrowing);
    }
  });
}

Tensor cast_tensor_of_numbers(const Tensor& tensor, DatumType type, Narrowing narrowing) {
  MutableTensor out(type, tensor.shape());
  cast_numbers({tensor.data(), tensor.dtype(), tensor.shape()},
               {out.data(), out.dtype(), out.shape()}, narrowing);
  return std::move(out).freeze();
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (is_complex_type<T>) {
    return cat("(", number_text(value.real()), value.imag() < 0 ? "" : "+",
               number_text(value.imag()), "j)");
  } else if constexpr (is_object<T>) {
    fail(ErrorKind::internal, "objects are turned into text elsewhere");
  } else {
    return number_text(value);
  }
}

Tensor cast_to_strings(const Tensor& tensor) {
  MutableTensor out(DatumType::string, tensor.shape());
  visit_type(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::ranges::transform(tensor.as<T>(), out.as<std::string>().begin(), text_of<T>);
  });
  return std::move(out).freeze();
}

bool same_ignoring_case(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) { return lower_case(x) == y; });
}

double parsed_double(const std::string& text) {
  if (same_ignoring_case(text, "true")) return 1.0;
  if (same_ignoring_case(text, "false")) return 0.0;
  const auto number = parse_number(text);
  check_data(number.has_value(), in_quotes(text), " is no number");
  return *number;
}

/// A decimal integer exactly; any other number as a double is cast.
template <class T>
T parsed_as(const std::string& text, Narrowing narrowing) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    Wide<T> integer = 0;
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, integer);
    if (code == std::errc{} && stop == end) return static_cast<T>(integer);
  }
  return converted<T>(parsed_double(text), narrowing);
}

Tensor cast_from_strings(const Tensor& tensor, DatumType type, Narrowing narrowing) {
  MutableTensor out(type, tensor.shape());
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!is_object<T>) {
      std::ranges::transform(
          tensor.as<std::string>(), out.as<T>().begin(),
          [&](const std::string& text) { return parsed_as<T>(text, narrowing); });
    }
  });
  return std::move(out).freeze();
}

Tensor integers_from_dims(const Tensor& tensor) {
  const Shape values = to_integers(tensor);
  return Tensor::of<std::int64_t>(tensor.shape(), std::span<const std::int64_t>(values));
}

Tensor dims_from_integers(const Tensor& integers) {
  const Shape values = to_integers(integers);
  MutableTensor out(DatumType::dim, integers.shape());
  std::copy(values.begin(), values.end(), out.as<Dim>().begin());
  return std::move(out).freeze();
}

Tensor f32_from_f4e2m1(const Tensor& tensor) {
  const Tensor bytes = unpacked(tensor);
  MutableTensor out(DatumType::f32, tensor.shape());
  std::ranges::transform(bytes.as<std::uint8_t>(), out.as<float>().begin(), [](std::uint8_t bits) {
    f4e2m1 number;
    number.bits = bits;
    return static_cast<float>(number);
  });
  return std::move(out).freeze();
}

Tensor f4e2m1_from_f64(const Tensor& tensor) {
  MutableTensor bytes(DatumType::u8, tensor.shape());
  std::ranges::transform(tensor.as<double>(), bytes.as<std::uint8_t>().begin(),
                         [](double number) { return f4e2m1(rounded_to_odd(number)).bits; });
  return packed(std::move(bytes).freeze(), DatumType::f4e2m1);
}

Tensor packed_integers(const Tensor& wide, DatumType type) {
  return packed(cast(wide, is_signed_integer(type) ? DatumType::i8 : DatumType::u8), type);
}

}  // namespace

void cast_numbers(const TensorView& from, const MutableTensorView& to, Narrowing narrowing) {
  // The most frequent pairs of ops that compute in f64, converted without an intermediate block.
  const std::int64_t count = element_count(from.shape);
  if (from.dtype == DatumType::f64 && to.dtype == DatumType::f32)
    return void(std::copy_n(from.as<double>(), count, to.as<float>()));
  if (from.dtype == DatumType::f32 && to.dtype == DatumType::f64)
    return void(std::copy_n(from.as<float>(), count, to.as<double>()));
  constexpr std::size_t kBlock = 512;
  visit_type(from.dtype, [&](auto tag) {
    using From = typename decltype(tag)::type;
    if constexpr (!is_object<From>) {
      const std::span<const From> all(from.as<From>(), static_cast<std::size_t>(count));
      std::array<Wide<From>, kBlock> block;
      for (std::size_t start = 0; start < all.size(); start += kBlock) {
        const auto part = all.subspan(start, std::min(kBlock, all.size() - start));
        std::transform(part.begin(), part.end(), block.begin(), widened<From>);
        write_all<Wide<From>>({block.data(), part.size()}, to, start, narrowing);
      }
    }
  });
}

Tensor cast(const Tensor& tensor, DatumType type, Overflow overflow, FloatRounding rounding) {
  const DatumType from = tensor.dtype();
  if (from == type) return tensor;
  if (from == DatumType::dim) return cast(integers_from_dims(tensor), type, overflow, rounding);
  if (from == DatumType::f4e2m1) return cast(f32_from_f4e2m1(tensor), type, overflow, rounding);
  if (is_packed(from)) return cast(unpacked(tensor), type, overflow, rounding);
  if (type == DatumType::dim) return dims_from_integers(cast(tensor, DatumType::i64));
  if (type == DatumType::f4e2m1) return f4e2m1_from_f64(cast(tensor, DatumType::f64));
  if (is_packed(type)) return packed_integers(cast(tensor, DatumType::i64), type);
  if (type == DatumType::string) return cast_to_strings(tensor);
  const Narrowing narrowing{overflow, rounding};
  if (from == DatumType::string) return cast_from_strings(tensor, type, narrowing);
  return cast_tensor_of_numbers(tensor, type, narrowing);
}

}  // namespace strata
