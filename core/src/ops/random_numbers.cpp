#include "ops/random_numbers.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace strata {
namespace {

std::mt19937 engine_of_bits(std::uint64_t bits) {
  std::seed_seq words{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  return std::mt19937(words);
}

std::mt19937 fresh_engine() {
  static std::atomic<std::uint64_t> streams{std::uint64_t{std::random_device{}()} << 32 |
                                            std::random_device{}()};
  return engine_of_bits(streams.fetch_add(1));
}

std::mt19937 engine_of(double seed) {
  if (seed >= 0 && seed <= 0xffffffff && seed == std::floor(seed))
    return std::mt19937(static_cast<std::uint32_t>(seed));
  return engine_of_bits(std::bit_cast<std::uint64_t>(seed));
}

}  // namespace

RandomStream::RandomStream(std::optional<double> seed)
    : engine_(seed ? engine_of(*seed) : fresh_engine()) {}

double RandomStream::uniform() {
  const std::uint32_t high = engine_() >> 5, low = engine_() >> 6;
  return (high * 0x1p26 + low) * 0x1p-53;
}

double RandomStream::normal() {
  if (spare_) return *std::exchange(spare_, std::nullopt);
  // Marsaglia's polar method: a point of the unit disc gives two numbers.
  for (;;) {
    const double x = 2 * uniform() - 1, y = 2 * uniform() - 1, square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = factor * x;
    return factor * y;
  }
}

}  // namespace strata
