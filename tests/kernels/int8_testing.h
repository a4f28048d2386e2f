#pragma once

#include <cstdint>
#include <vector>

#include "kernel_testing.h"
#include "kernels/int8.h"

/// What the tests of kernels on bytes share.
namespace strata::kernels::testing {

using Words = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;

/// n repeatable bytes, the extremes among them.
inline Bytes byte_noise(Index n, std::uint32_t seed) {
  Bytes out(size(n));
  for (std::uint8_t& x : out) {
    seed = seed * 1664525u + 1013904223u;
    const std::uint32_t kind = seed >> 28;
    x = kind == 0 ? 0 : kind == 1 ? 255 : kind == 2 ? 128 : kind == 3 ? 127 : (seed >> 16) & 255;
  }
  return out;
}

inline std::int64_t value_of(std::uint8_t byte, ByteKind kind) {
  return kind == ByteKind::u8 ? std::int64_t{byte} : std::int64_t{static_cast<std::int8_t>(byte)};
}

/// What a byte, or a zero point, of a left and of a right operand is stored as.
inline std::int64_t stored_left(std::int64_t x, ByteKind kind) {
  return kind == ByteKind::u8 ? x - 128 : x;
}
inline std::int64_t stored_right(std::int64_t x, ByteKind kind) {
  return kind == ByteKind::i8 ? x + 128 : x;
}

/// The number modulo 2^32, as i32.
inline std::int32_t wrapped(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
}

/// Runs `test(kernels)` for each set of kernels that this CPU can run.
template <class Test>
void for_each_int8(Test test) {
  for (const Int8Kernels* kernels : supported_int8_kernels()) test(*kernels);
}

/// What a sum becomes, by definition.
inline double finished(const SumFinish& f, Index i, Index j, std::int64_t sum) {
  if (f.row_add) sum += f.row_add[i];
  if (f.column_add) sum += f.column_add[j];
  for (const SumTerm& term : f.terms)
    if (term.rows) sum += std::int64_t{term.rows[i]} * term.columns[j];
  const std::int32_t total = wrapped(sum);
  const auto at = [&](const auto& values) {
    return values.data[i * values.row_step + j * values.column_step];
  };
  if (f.output == SumOutput::sums) return total;
  if (f.output == SumOutput::floats || f.output == SumOutput::quantised) {
    const float scaled = static_cast<float>(total) * at(f.scale);
    const float biased = f.bias.data ? scaled + at(f.bias) : scaled;
    if (f.output == SumOutput::floats) return static_cast<double>(biased);
    const double quotient = std::nearbyint(static_cast<double>(biased / at(f.divisor)));
    return std::fmin(std::fmax(quotient + f.zero, f.low), f.high);
  }
  const double exact = total * at(f.factor) + at(f.offset);
  return std::fmin(std::fmax(std::nearbyint(exact) + f.zero, f.low), f.high);
}

inline Index output_bytes(const SumFinish& f) {
  return f.output == SumOutput::bytes || f.output == SumOutput::quantised ? 1 : 4;
}

/// Element i of an output, as a number.
inline double output_at(const SumFinish& f, const void* y, Index i) {
  if (f.output == SumOutput::sums) return static_cast<const std::int32_t*>(y)[i];
  if (f.output == SumOutput::floats) return static_cast<double>(static_cast<const float*>(y)[i]);
  const std::uint8_t byte = static_cast<const std::uint8_t*>(y)[i];
  return f.low < 0 ? static_cast<double>(static_cast<std::int8_t>(byte)) : byte;
}

}  // namespace strata::kernels::testing
