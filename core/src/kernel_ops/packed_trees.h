#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "strata/core/ops/tree_ensemble.h"

/// Decision trees as their kernel walks them. Numbers become integers in the same order, so that
/// each test of a feature, and of a missing one, is a single question: does it lie in an interval?
namespace strata {

/// An integer in the order of floats: both zeros are 0, NaN comes right before -inf.
using TreeKey = std::int32_t;
inline constexpr TreeKey kGreatestKey = 0x7f800000;  ///< of infinity
inline constexpr TreeKey kMissingKey = -kGreatestKey - 1;
inline TreeKey tree_key(float x) {
  const auto bits = std::bit_cast<TreeKey>(x);
  const TreeKey magnitude = bits & std::numeric_limits<TreeKey>::max();
  if (magnitude > kGreatestKey) return kMissingKey;
  return bits < 0 ? -magnitude : magnitude;
}
/// The key of the least float that is not less than x, or of the greatest that is not greater.
template <class T>
TreeKey tree_key(T x, bool rounds_up) {
  const auto nearest = static_cast<float>(x);
  return tree_key(nearest) + (rounds_up ? nearest < x : -(nearest > x));
}

/// A key from `low` to `low + span` goes on to node `next`, any other to the one after that.
/// Integers wrap: an interval may end below its beginning. A leaf goes on to itself, and its number
/// is `low`.
struct TreeNode {
  std::uint32_t low = 0;
  std::uint32_t span = 0xffffffff;
  std::uint32_t feature = 0;  ///< its place among those that are tested, times kTreeLanes
  std::uint32_t next = 0;
};

inline constexpr std::size_t kTreeLanes = 8;  ///< walks made at once, so that none waits for memory

struct PackedTrees {
  std::int64_t roots = 0;  ///< the first nodes
  Tensor nodes;            ///< bytes of a TreeNode each
  Tensor features;         ///< i32: those that are tested, in order
  Tensor leaf_weights;     ///< f64, those of a leaf side by side
  Tensor leaf_targets;  ///< i32: the target a leaf votes for; empty where each leaf votes for all
};

/// What an ensemble compares with, as floats.
struct FloatThresholds {
  Tensor thresholds;      ///< f32
  bool rounds_up = true;  ///< x is as good as `tree_key` has it, rounded so
};
/// Nothing for an ensemble of f16, or one of f64 for which x may not be rounded.
std::optional<FloatThresholds> float_thresholds(const TreeEnsemble& op);

/// Packs an ensemble whose facts were checked.
PackedTrees packed_trees(const TreeEnsemble& op, const Tensor& thresholds);

}  // namespace strata
