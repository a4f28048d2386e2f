#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// How a node of a tree compares a feature x with its threshold t, as ONNX numbers it; `member`
/// asks whether x is one of the node's members.
enum class TreeTest : std::uint8_t {
  less_or_equal,
  less,
  greater_or_equal,
  greater,
  equal,
  not_equal,
  member
};

/// What becomes of the weights that all trees give to one target.
enum class TreeAggregate : std::uint8_t { average, sum, min, max };

constexpr auto enumerators(TreeAggregate) {
  using enum TreeAggregate;
  return std::to_array<std::pair<TreeAggregate, std::string_view>>(
      {{average, "average"}, {sum, "sum"}, {min, "min"}, {max, "max"}});
}

/// Walks decision trees for each row of x and gathers the weights of the leaves it ends at.
///
///   input    x   T[N, F]
///   output   T[N, targets]; a target to which no leaf gives a weight is 0, for min the greatest
///            number of the type, for max the least
///   source   ONNX ai.onnx.ml TreeEnsemble-5, before its post transform
///
/// Node i is entry i of `tests`, `features`, `thresholds`, `on_true`, `on_false` and, unless it is
/// empty, `missing_is_true`: whether NaN takes the true branch. A branch b >= 0 goes on to node b,
/// b < 0 ends at leaf -1 - b. The members of a node are those between the end of the node before
/// and its own. Leaf i is entry i of `leaf_targets` and `leaf_weights`.
///
///   (C1) one input, floats of the type of thresholds, members and leaf weights
///   (C2) x has rank 2                (C3) one entry a node and one a leaf in each list
///   (C4) roots, branches, targets, features and member ends within what they count
///   (C5) no branch leads back to its own node
struct TreeEnsemble {
  static constexpr std::string_view name = "TreeEnsemble";
  std::vector<std::int64_t> roots;
  std::vector<std::uint8_t> tests;  ///< values of TreeTest
  std::vector<std::int64_t> features;
  Tensor thresholds;
  std::vector<std::int64_t> on_true;
  std::vector<std::int64_t> on_false;
  std::vector<std::uint8_t> missing_is_true;
  std::vector<std::int64_t> member_ends;  ///< empty when no node tests for members
  Tensor members;
  std::vector<std::int64_t> leaf_targets;
  Tensor leaf_weights;
  std::int64_t targets = 1;
  TreeAggregate aggregate = TreeAggregate::sum;

  static constexpr auto attributes() {
    return std::tuple{attr("roots", &TreeEnsemble::roots),
                      attr("tests", &TreeEnsemble::tests),
                      attr("features", &TreeEnsemble::features),
                      attr("thresholds", &TreeEnsemble::thresholds),
                      attr("on_true", &TreeEnsemble::on_true),
                      attr("on_false", &TreeEnsemble::on_false),
                      attr("missing_is_true", &TreeEnsemble::missing_is_true),
                      attr("member_ends", &TreeEnsemble::member_ends),
                      attr("members", &TreeEnsemble::members),
                      attr("leaf_targets", &TreeEnsemble::leaf_targets),
                      attr("leaf_weights", &TreeEnsemble::leaf_weights),
                      attr("targets", &TreeEnsemble::targets),
                      attr("aggregate", &TreeEnsemble::aggregate)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<TreeEnsemble>);

}  // namespace strata
