#pragma once

#include <cstdint>
#include <optional>

namespace strata {

/// A stream of random numbers: the n-th is a hash of the key and n.
class RandomStream {
 public:
  /// Without a seed the key differs from stream to stream.
  explicit RandomStream(std::optional<double> seed);

  /// In [0, 1), of 53 bits.
  double uniform();
  /// Of mean 0 and deviation 1.
  double normal();

 private:
  std::uint64_t next();

  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

}  // namespace strata
