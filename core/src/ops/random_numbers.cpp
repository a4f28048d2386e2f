#include "ops/random_numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#if defined(__unix__)
#include <unistd.h>
#endif

namespace strata {
namespace {

MersenneTwister engine_of_bits(std::uint64_t bits) {
  std::seed_seq words{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  return MersenneTwister(words);
}

/// Each from random bits of its own: what counts streams would count alike in forks of a process.
MersenneTwister fresh_engine() {
  std::random_device bits;
  std::seed_seq words{bits(), bits(), bits(), bits()};
  return MersenneTwister(words);
}

MersenneTwister engine_of(double seed) {
  if (seed >= 0 && seed <= 0xffffffff && seed == std::floor(seed))
    return MersenneTwister(static_cast<std::uint32_t>(seed));
  return engine_of_bits(std::bit_cast<std::uint64_t>(seed));
}

std::int64_t this_process() {
#if defined(__unix__)
  return getpid();
#else
  return 0;
#endif
}

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  using Engine = std::mt19937;
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    words_[i] = seed;
    seed = Engine::initialization_multiplier * (seed ^ seed >> (Engine::word_size - 2)) + i + 1;
  }
}

std::uint32_t MersenneTwister::operator()() {
  using Engine = std::mt19937;
  if (next_ == words_.size()) twist();
  std::uint32_t x = words_[next_++];
  x ^= x >> Engine::tempering_u & Engine::tempering_d;
  x ^= x << Engine::tempering_s & Engine::tempering_b;
  x ^= x << Engine::tempering_t & Engine::tempering_c;
  return x ^ x >> Engine::tempering_l;
}

void MersenneTwister::twist() {
  using Engine = std::mt19937;
  constexpr std::uint32_t kLow = (std::uint32_t{1} << Engine::mask_bits) - 1;
  const std::size_t size = words_.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t next = words_[i + 1 < size ? i + 1 : 0],
                        far = words_[i + Engine::shift_size < size ? i + Engine::shift_size
                                                                   : i + Engine::shift_size - size];
    const std::uint32_t x = (words_[i] & ~kLow) | (next & kLow);
    words_[i] = far ^ x >> 1 ^ ((0 - (x & 1)) & Engine::xor_mask);
  }
  next_ = 0;
}

RandomStream::RandomStream(std::optional<double> seed)
    : engine_(seed ? engine_of(*seed) : fresh_engine()),
      has_seed_(seed.has_value()),
      process_(this_process()) {}

void RandomStream::part_from_forks() {
  if (has_seed_ || process_ == this_process()) return;
  *this = RandomStream(std::nullopt);
}

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
