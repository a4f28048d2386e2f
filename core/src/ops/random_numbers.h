#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>

namespace strata {

/// The numbers of `std::mt19937`, in a fraction of its time: no branch is on a random bit.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed);
  explicit MersenneTwister(std::seed_seq& seeds) { seeds.generate(words_.begin(), words_.end()); }
  std::uint32_t operator()();

 private:
  void twist();

  std::array<std::uint32_t, std::mt19937::state_size> words_;
  std::size_t next_ = std::mt19937::state_size;
};

/// A stream of random numbers. Of a seed it is that of numpy's `RandomState`, with which the
/// reference evaluator of ONNX draws.
class RandomStream {
 public:
  /// Without a seed each stream is another. A seed is a whole number from 0 to 2^32 - 1; of any
  /// other, all bits count.
  explicit RandomStream(std::optional<double> seed);
  /// Called before a run draws: in a process that was forked since, a stream without a seed becomes
  /// another, or all forks would draw the same.
  void part_from_forks();

  /// In [0, 1), of 53 bits.
  double uniform();
  /// Of mean 0 and deviation 1.
  double normal();

 private:
  MersenneTwister engine_;
  std::optional<double> spare_;  ///< the other of a pair of normal numbers
  bool has_seed_;
  std::int64_t process_;  ///< that drew last
};

}  // namespace strata
