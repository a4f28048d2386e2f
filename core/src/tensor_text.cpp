#include <algorithm>
#include <complex>
#include <string>

#include "number_text.h"
#include "strata/core/tensor.h"

namespace strata {
namespace {

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(const std::string& value) { return in_quotes(value, 40); }
std::string shown(const Dim& value) { return value.to_string(); }

template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return number_text(value);
  }
}

template <class T>
std::string shown(const std::complex<T>& value) {
  return cat(number_text(value.real()), value.imag() < 0 ? "" : "+", number_text(value.imag()),
             "i");
}

}  // namespace

std::string Tensor::to_string() const {
  // Short tensors are shown whole, of long ones the beginning.
  constexpr std::int64_t kWhole = 8, kBeginning = 3;
  std::string out = cat(dtype_, std::span<const std::int64_t>(shape_));
  const std::int64_t count = size_ <= kWhole ? size_ : kBeginning;
  if (count == 0) return out;
  Tensor head = reshaped(Shape{size_}).rows(0, count);
  if (is_packed(dtype_)) {
    head = dtype_ == DatumType::f4e2m1 ? cast(head, DatumType::f32) : unpacked(head);
  }
  visit_type(head.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const char* separator = " ";
    for (const T& value : head.as<T>()) {
      out += separator + shown(value);
      separator = ", ";
    }
  });
  return out + (size_ > count ? ", …" : "");
}

}  // namespace strata
