#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

/// What the benchmarks of kernels share: numbers to work on, and the time that work takes.
namespace strata::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The shortest of many runs, in seconds.
template <class F>
double shortest(F run, std::chrono::milliseconds time = std::chrono::milliseconds(200)) {
  run();
  double best = 1e9;
  const auto start = Clock::now();
  do {
    const auto before = Clock::now();
    run();
    best = std::min(best, seconds_since(before));
  } while (Clock::now() - start < time);
  return best;
}

/// Numbers between -0.5 and 0.5, the same each time.
inline void fill_with_noise(std::span<float> out) {
  unsigned state = 1;
  for (float& x : out) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
}

/// Bytes that are small numbers of any type.
inline void fill_with_bytes(void* data, std::size_t size) { std::memset(data, 0x3c, size); }

}  // namespace strata::bench
