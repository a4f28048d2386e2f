#pragma once

#include <optional>
#include <random>

namespace strata {

/// A stream of random numbers. Of a seed it is that of numpy's `RandomState`, with which the
/// reference evaluator of ONNX draws.
class RandomStream {
 public:
  /// Without a seed each stream is another. A seed is a whole number from 0 to 2^32 - 1; of any
  /// other, all bits count.
  explicit RandomStream(std::optional<double> seed);

  /// In [0, 1), of 53 bits.
  double uniform();
  /// Of mean 0 and deviation 1.
  double normal();

 private:
  std::mt19937 engine_;
  std::optional<double> spare_;  ///< the other of a pair of normal numbers
};

}  // namespace strata
