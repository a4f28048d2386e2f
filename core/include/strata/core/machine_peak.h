#pragma once

#include <cstddef>
#include <vector>

namespace strata {

/// What this machine can do at most, for what kernels reach to be held against (a roofline).
struct MachinePeak {
  /// How fast blocks of memory of up to some bytes are read again and again.
  struct Memory {
    double bytes;
    double bytes_per_second;
  };

  double flops_per_second = 0;  ///< of f32; a multiply-add is two
  std::vector<Memory> memory;   ///< ascending in bytes, and never faster for more

  /// The least seconds that an op of so many f32 operations takes which reads and writes so many
  /// bytes.
  double least_seconds(double flops, double bytes) const;
};

/// Measures it, on so many threads at once, in about a tenth of a second. Throws: limit when there is
/// no memory or no thread to be had.
MachinePeak measure_peak(std::size_t threads);

}  // namespace strata
