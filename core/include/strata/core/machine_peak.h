#pragma once

#include <cstddef>
#include <vector>

namespace strata {

/// The peak performance of this machine, with which that of kernels is compared (a roofline).
struct MachinePeak {
  /// How fast a block of up to `bytes` bytes is read repeatedly.
  struct Memory {
    double bytes;
    double bytes_per_second;
  };

  double flops_per_second = 0;  ///< of f32; a multiply-add is two
  std::vector<Memory> memory;   ///< ascending in bytes, and never faster for more

  /// The least time in seconds for an op of `flops` f32 operations that reads and writes `bytes`
  /// bytes.
  double least_seconds(double flops, double bytes) const;
};

/// Measures it on `threads` threads at once, in about a tenth of a second. Throws: limit when it
/// cannot get the memory or the threads.
MachinePeak measure_peak(std::size_t threads);

}  // namespace strata
