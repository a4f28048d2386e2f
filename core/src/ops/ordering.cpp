#include "ops/ordering.h"

#include <bit>
#include <type_traits>
#include <utility>

namespace strata {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t key_of_float(double value) {
  if (value != value) return UINT64_MAX;
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // both zeros are one
  return static_cast<std::uint64_t>(bits) ^ (static_cast<std::uint64_t>(bits >> 63) | kSign);
}

template <class T>
std::uint64_t key_of(const T& value) {
  if constexpr (std::is_unsigned_v<T>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint64_t>(std::int64_t{value}) ^ kSign;
  else
    return key_of_float(value);
}

}  // namespace

void write_order_keys(DatumType dtype, const std::byte* from, std::int64_t step,
                      std::span<std::uint64_t> keys) {
  visit_type(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_convertible_v<T, double>) {
      const T* element = reinterpret_cast<const T*>(from);
      for (std::uint64_t& key : keys) key = key_of(*std::exchange(element, element + step));
    } else {
      fail(ErrorKind::internal, "elements of type ", dtype, " have no order");
    }
  });
}

std::vector<std::uint64_t> order_keys(const Tensor& tensor) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(tensor.size()));
  write_order_keys(tensor.dtype(), tensor.bytes().data(), 1, keys);
  return keys;
}

}  // namespace strata
