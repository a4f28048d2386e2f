#include "random_values.h"

namespace strata::cli {
namespace {

/// From how many integers, 0 and those after it, one of `type` is drawn.
std::uint64_t count_of_integers(DatumType type) {
  const std::size_t bits = bit_width(type) - (is_signed_integer(type) ? 1 : 0);
  return bits < 4 ? std::uint64_t{1} << bits : 10;
}

}  // namespace

/// SplitMix64.
std::uint64_t RandomValues::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Tensor RandomValues::numbers(DatumType type, const Shape& shape) {
  MutableTensor out(DatumType::f64, shape);
  const bool real = is_float(type) || is_complex(type);
  const std::uint64_t integers = count_of_integers(type);
  for (double& value : out.as<double>()) {
    const std::uint64_t bits = next();
    if (real)
      value = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
    else if (type == DatumType::boolean)
      value = static_cast<double>(bits >> 63);
    else
      value = static_cast<double>((bits >> 32) * integers >> 32);
  }
  return cast(std::move(out).freeze(), type);
}

Tensor RandomValues::words(const Shape& shape) {
  MutableTensor out(DatumType::string, shape);
  for (std::string& word : out.as<std::string>()) {
    std::uint64_t bits = next();
    const std::uint64_t length = 1 + bits % 8;
    for (std::uint64_t i = 0; i < length; ++i) {
      bits = next();
      word += static_cast<char>('a' + bits % 26);
    }
  }
  return std::move(out).freeze();
}

Tensor RandomValues::tensor(DatumType type, const Shape& shape) {
  return type == DatumType::string ? words(shape) : numbers(type, shape);
}

}  // namespace strata::cli
