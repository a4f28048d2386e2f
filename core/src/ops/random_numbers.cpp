#include "ops/random_numbers.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

namespace strata {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t fresh_key() {
  static std::atomic<std::uint64_t> streams{std::random_device{}()};
  return mixed(streams.fetch_add(kGolden));
}

}  // namespace

RandomStream::RandomStream(std::optional<double> seed)
    : key_(seed ? mixed(std::bit_cast<std::uint64_t>(*seed) + kGolden) : fresh_key()) {}

std::uint64_t RandomStream::next() { return mixed(key_ + kGolden * ++count_); }

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double RandomStream::normal() {
  // Box and Muller; 1 - u is never 0.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace strata
