#include "kernel_ops/packed_trees.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

using Integers = std::vector<std::int64_t>;

/// Whether `list` is its first part over and over, what counts nodes or leaves being further by
/// `node_step` and `leaf_step` each time.
bool is_repeated(const Integers& list, std::size_t times, std::int64_t node_step,
                 std::int64_t leaf_step) {
  const std::size_t part = list.size() / times;
  for (std::size_t i = part; i < list.size(); ++i)
    if (list[i] != list[i - part] + (list[i] < 0 ? -leaf_step : node_step)) return false;
  return true;
}

template <class T>
bool is_repeated(std::span<const T> list, std::size_t times) {
  return std::ranges::equal(list.subspan(list.size() / times),
                            list.first(list.size() - list.size() / times));
}

/// Whether the trees are there once for each target, alike but for their leaves, which all vote for
/// that target. An ensemble whose leaves vote for all targets is written so.
bool is_copied_for_targets(const TreeEnsemble& op, const Tensor& thresholds) {
  const auto times = static_cast<std::size_t>(op.targets);
  const std::size_t nodes = op.tests.size(), leaves = op.leaf_targets.size();
  if (times < 2 || op.roots.size() % times != 0 || nodes % times != 0 || leaves % times != 0 ||
      !op.member_ends.empty())
    return false;
  for (std::size_t i = 0; i < leaves; ++i)
    if (op.leaf_targets[i] != static_cast<std::int64_t>(i / (leaves / times))) return false;
  const auto node_step = static_cast<std::int64_t>(nodes / times),
             leaf_step = static_cast<std::int64_t>(leaves / times);
  return is_repeated(op.roots, times, node_step, leaf_step) &&
         is_repeated(op.on_true, times, node_step, leaf_step) &&
         is_repeated(op.on_false, times, node_step, leaf_step) &&
         is_repeated(op.features, times, 0, 0) &&
         is_repeated(std::span<const std::uint8_t>(op.tests), times) &&
         is_repeated(std::span<const std::uint8_t>(op.missing_is_true), times) &&
         is_repeated(thresholds.as<float>(), times);
}

/// Writes the nodes that are reached from some roots, a tree in breadth.
class NodeWriter {
 public:
  NodeWriter(const TreeEnsemble& op, const Tensor& thresholds, const Integers& features)
      : op_(op),
        thresholds_(thresholds.as<float>()),
        features_(features),
        places_(op.tests.size(), kNowhere) {}

  Tensor written(std::span<const std::int64_t> roots) && {
    nodes_.resize(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
      to_write_.assign(1, {roots[i], i});
      for (std::size_t next = 0; next < to_write_.size(); ++next) write(to_write_[next]);
    }
    const auto bytes = std::as_bytes(std::span<const TreeNode>(nodes_));
    MutableTensor out(DatumType::u8, {static_cast<std::int64_t>(bytes.size())});
    std::copy(bytes.begin(), bytes.end(), out.data());
    return std::move(out).freeze();
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  /// A branch of the ensemble, and the node that it becomes.
  struct Branch {
    std::int64_t to;
    std::size_t place;
  };

  std::size_t add_pair() {
    nodes_.resize(nodes_.size() + 2);
    return nodes_.size() - 2;
  }
  /// All go on to `next`.
  void pass(std::size_t place, std::size_t next) {
    nodes_[place] = {.next = static_cast<std::uint32_t>(next)};
  }
  /// Keys from `first` to `last` go on to a node, others to the one behind it: to the first of
  /// both.
  std::size_t ask(std::size_t place, std::int64_t feature, TreeKey first, TreeKey last) {
    constexpr TreeKey kNoKey = kGreatestKey + 1;
    if (first > last) first = last = kNoKey;
    const auto found =
        std::lower_bound(features_.begin(), features_.end(), feature) - features_.begin();
    const std::size_t next = add_pair();
    nodes_[place] = {static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(last) - static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(static_cast<std::size_t>(found) * kTreeLanes),
                     static_cast<std::uint32_t>(next)};
    return next;
  }

  void write(Branch branch) {
    if (branch.to < 0) {
      pass(branch.place, branch.place);
      nodes_[branch.place].low = static_cast<std::uint32_t>(-1 - branch.to);
      return;
    }
    const auto node = static_cast<std::size_t>(branch.to);
    if (places_[node] != kNowhere) return pass(branch.place, places_[node]);
    places_[node] = branch.place;
    switch (static_cast<TreeTest>(op_.tests[node])) {
      case TreeTest::less_or_equal:
      case TreeTest::less:
      case TreeTest::greater_or_equal:
      case TreeTest::greater:
        return write_order(node, branch.place);
      case TreeTest::equal:
      case TreeTest::not_equal:
      case TreeTest::member:
        return write_points(node, branch.place);
    }
  }

  bool missing_is_true(std::size_t node) const {
    return !op_.missing_is_true.empty() && op_.missing_is_true[node] != 0;
  }
  float threshold(std::size_t node) const { return thresholds_[node]; }

  /// x >= t is not x < t, and x > t not x <= t: keys up to the last one take one branch.
  void write_order(std::size_t node, std::size_t place) {
    const auto test = static_cast<TreeTest>(op_.tests[node]);
    const bool is_turned = test == TreeTest::greater_or_equal || test == TreeTest::greater,
               has_equal = test == TreeTest::less_or_equal || test == TreeTest::greater;
    const float t = threshold(node);
    TreeKey last = tree_key(t) - (has_equal ? 0 : 1);
    // No number is in order with NaN.
    if (t != t) last = is_turned ? kGreatestKey : kMissingKey;
    const TreeKey first = kMissingKey + (missing_is_true(node) == is_turned ? 1 : 0);
    const std::size_t next = ask(place, op_.features[node], first, last);
    to_write_.push_back({is_turned ? op_.on_false[node] : op_.on_true[node], next});
    to_write_.push_back({is_turned ? op_.on_true[node] : op_.on_false[node], next + 1});
  }

  /// The keys that take one branch, asked for one by one.
  void write_points(std::size_t node, std::size_t place) {
    const bool is_turned = static_cast<TreeTest>(op_.tests[node]) == TreeTest::not_equal;
    std::vector<TreeKey> points;
    for (const float t : points_of(node))
      if (t == t) points.push_back(tree_key(t));
    if (missing_is_true(node) != is_turned) points.push_back(kMissingKey);
    if (points.empty()) points.push_back(kGreatestKey + 1);
    const std::int64_t found = is_turned ? op_.on_false[node] : op_.on_true[node],
                       other = is_turned ? op_.on_true[node] : op_.on_false[node];
    std::size_t shared = kNowhere;
    for (const TreeKey point : points) {
      const std::size_t next = ask(place, op_.features[node], point, point);
      if (shared == kNowhere) {
        to_write_.push_back({found, shared = next});
      } else {
        pass(next, shared);
      }
      place = next + 1;
    }
    to_write_.push_back({other, place});
  }
  std::span<const float> points_of(std::size_t node) const {
    if (static_cast<TreeTest>(op_.tests[node]) != TreeTest::member)
      return thresholds_.subspan(node, 1);
    const auto begin = static_cast<std::size_t>(node == 0 ? 0 : op_.member_ends[node - 1]),
               end = static_cast<std::size_t>(op_.member_ends[node]);
    return op_.members.as<float>().subspan(begin, end - begin);
  }

  const TreeEnsemble& op_;
  std::span<const float> thresholds_;
  const Integers& features_;
  std::vector<std::size_t> places_;  ///< where nodes of the ensemble are that were written
  std::vector<TreeNode> nodes_;
  std::vector<Branch> to_write_;  ///< of one tree, and those that were
};

/// The weights of each leaf, for all targets when the trees are there once for each.
Tensor leaf_weights(const TreeEnsemble& op, std::size_t times) {
  const Tensor given = cast(op.leaf_weights, DatumType::f64);
  const std::size_t leaves = op.leaf_targets.size() / times;
  MutableTensor out(DatumType::f64, {given.size()});
  const double divisor =
      op.aggregate == TreeAggregate::average ? static_cast<double>(op.roots.size()) : 1;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (std::size_t i = 0; i < times; ++i)
      out.as<double>()[leaf * times + i] = given.as<double>()[i * leaves + leaf] / divisor;
  return std::move(out).freeze();
}

Tensor as_i32(const Integers& list) {
  return cast(Tensor::vector<std::int64_t>(std::span(list)), DatumType::i32);
}

/// Whether the test has the same result for all numbers between two floats and for the greater of
/// them; otherwise for the lesser.
bool counts_as_greater(std::uint8_t test) {
  return static_cast<TreeTest>(test) == TreeTest::less_or_equal ||
         static_cast<TreeTest>(test) == TreeTest::greater;
}

}  // namespace

std::optional<FloatThresholds> float_thresholds(const TreeEnsemble& op) {
  if (op.thresholds.dtype() == DatumType::f32) return FloatThresholds{op.thresholds};
  const FloatThresholds out{cast(op.thresholds, DatumType::f32),
                            op.tests.empty() || counts_as_greater(op.tests[0])};
  const bool may_round = std::ranges::all_of(op.tests, [&](std::uint8_t test) {
    return static_cast<TreeTest>(test) <= TreeTest::greater &&
           counts_as_greater(test) == out.rounds_up;
  });
  return may_round && cast(out.thresholds, DatumType::f64) == op.thresholds ? std::optional(out)
                                                                            : std::nullopt;
}

PackedTrees packed_trees(const TreeEnsemble& op, const Tensor& thresholds) {
  const std::size_t times =
      is_copied_for_targets(op, thresholds) ? static_cast<std::size_t>(op.targets) : 1;
  const auto roots = std::span(op.roots).first(op.roots.size() / times);
  Integers features = op.features;
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  PackedTrees out;
  out.roots = static_cast<std::int64_t>(roots.size());
  out.nodes = NodeWriter(op, thresholds, features).written(roots);
  out.features = as_i32(features);
  out.leaf_weights = leaf_weights(op, times);
  const bool vote_for_all = static_cast<std::int64_t>(times) == op.targets;
  out.leaf_targets = as_i32(vote_for_all ? Integers{} : op.leaf_targets);
  return out;
}

}  // namespace strata
