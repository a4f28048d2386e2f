#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "strata/core/tensor.h"

namespace strata {
namespace {

template <class T>
std::int64_t to_int64(const T& value) {
  if constexpr (std::is_same_v<T, Dim>) {
    const auto constant = value.constant();
    check_data(constant.has_value(), "dim ", value, " is no integer yet");
    return *constant;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      check_data(value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
                 value, " does not fit in i64");
    }
    return static_cast<std::int64_t>(value);
  } else {
    fail(ErrorKind::run_time, "integers are wanted, type ", datum_type_of<T>, " is given");
  }
}

template <class T>
double to_double(const T& value) {
  if constexpr (std::is_same_v<T, Dim>) {
    return static_cast<double>(to_int64(value));
  } else if constexpr (std::is_convertible_v<T, double>) {
    return static_cast<double>(value);
  } else {
    fail(ErrorKind::run_time, "a real number is wanted, type ", datum_type_of<T>, " is given");
  }
}

/// The element at `index`, in a tensor of size 1 whose type is no packed one.
Tensor byte_element(const Tensor& packed, std::int64_t index) {
  const Tensor flat = packed.reshaped(Shape{packed.size()});
  return unpacked(flat.rows(index, index + 1));
}

}  // namespace

Shape to_integers(const Tensor& tensor) {
  const DatumType type = tensor.dtype();
  if (is_packed(type) && is_integer(type)) return to_integers(unpacked(tensor));
  check_data(!is_packed(type), "integers are wanted, type ", type, " is given");
  return visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Shape out(static_cast<std::size_t>(tensor.size()));
    std::ranges::transform(tensor.as<T>(), out.begin(), to_int64<T>);
    return out;
  });
}

std::vector<Dim> to_dims(const Tensor& tensor) {
  if (tensor.dtype() == DatumType::dim) {
    const auto dims = tensor.as<Dim>();
    return {dims.begin(), dims.end()};
  }
  const Shape integers = to_integers(tensor);
  return {integers.begin(), integers.end()};
}

Tensor dims_tensor(std::span<const Dim> dims) {
  if (!std::ranges::all_of(dims, &Dim::is_constant)) return Tensor::vector<Dim>(dims);
  MutableTensor out(DatumType::i64, Shape{static_cast<std::int64_t>(dims.size())});
  std::ranges::transform(dims, out.as<std::int64_t>().begin(), to_int64<Dim>);
  return std::move(out).freeze();
}

double number_at(const Tensor& tensor, std::int64_t index) {
  require(0 <= index && index < tensor.size(), ErrorKind::internal, "element ", index,
          " of a tensor of ", tensor.size());
  const auto at = static_cast<std::size_t>(index);
  if (is_packed(tensor.dtype())) {
    const Tensor byte = byte_element(tensor, index);
    if (byte.dtype() == DatumType::i8) return byte.item<std::int8_t>();
    if (tensor.dtype() != DatumType::f4e2m1) return byte.item<std::uint8_t>();
    f4e2m1 number;
    number.bits = byte.item<std::uint8_t>();
    return static_cast<double>(static_cast<float>(number));
  }
  return visit_type(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return to_double<T>(tensor.as<T>()[at]);
  });
}

}  // namespace strata
