#include "strata/hir/ops/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/all.h"

namespace strata::onnx {
namespace {

Tensor required_vector(NodeArgs& node, std::string_view name) {
  const Tensor tensor = node.required_tensor(name);
  return tensor.reshaped({tensor.size()});
}

std::vector<std::int64_t> integer_list(NodeArgs& node, std::string_view name) {
  const Shape values = node.required_integers(name);
  return {values.begin(), values.end()};
}

/// Branches to nodes and, where `is_leaf` says so, to leaves.
std::vector<std::int64_t> branches(NodeArgs& node, std::string_view ids, std::string_view is_leaf) {
  std::vector<std::int64_t> out = integer_list(node, ids);
  const std::vector<std::int64_t> leaf = integer_list(node, is_leaf);
  check(leaf.size() == out.size(), ids, " has ", out.size(), " entries, ", is_leaf, ' ',
        leaf.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    check(out[i] >= 0, ids, " has the entry ", out[i]);
    if (leaf[i]) out[i] = -1 - out[i];
  }
  return out;
}

/// Reads sets of members, each ended by NaN, for the nodes that test for members, in their order.
void read_members(NodeArgs& node, TreeEnsemble& trees) {
  const auto given = node.tensor("membership_values");
  std::vector<double> members;
  if (given) {
    const Tensor listed = cast(*given, DatumType::f64);
    const auto values = listed.as<double>();
    auto at = values.begin();
    for (const std::uint8_t test : trees.tests) {
      if (test == static_cast<int>(TreeTest::member)) {
        const auto end = std::find_if(at, values.end(), [](double v) { return std::isnan(v); });
        check(end != values.end(), "membership_values has fewer sets than nodes test for members");
        members.insert(members.end(), at, end);
        at = end + 1;
      }
      trees.member_ends.push_back(static_cast<std::int64_t>(members.size()));
    }
    check(at == values.end(), "membership_values has more sets than nodes test for members");
  }
  trees.members =
      cast(Tensor::vector<double>(std::span<const double>(members)), trees.thresholds.dtype());
}

std::int64_t target_count(NodeArgs& node, const std::vector<std::int64_t>& targets) {
  if (const auto given = node.integer("n_targets")) return *given;
  if (targets.empty()) return 0;
  const std::int64_t most = *std::max_element(targets.begin(), targets.end());
  check(most < std::numeric_limits<std::int32_t>::max(), "leaf_targetids has the entry ", most);
  return 1 + most;
}

hir::InferenceOp parse_tree_ensemble(NodeArgs& node) {
  node.expect_inputs(1, 1);
  node.ignore("nodes_hitrates");
  TreeEnsemble trees;
  trees.roots = integer_list(node, "tree_roots");
  const Tensor tests = required_vector(node, "nodes_modes");
  check(tests.dtype() == DatumType::u8, "nodes_modes are ", tests.dtype(), ", not u8");
  trees.tests.assign(tests.as<std::uint8_t>().begin(), tests.as<std::uint8_t>().end());
  trees.features = integer_list(node, "nodes_featureids");
  trees.thresholds = required_vector(node, "nodes_splits");
  trees.on_true = branches(node, "nodes_truenodeids", "nodes_trueleafs");
  trees.on_false = branches(node, "nodes_falsenodeids", "nodes_falseleafs");
  if (const auto missing = node.integers("nodes_missing_value_tracks_true"))
    for (const std::int64_t value : *missing) trees.missing_is_true.push_back(value != 0);
  read_members(node, trees);
  trees.leaf_targets = integer_list(node, "leaf_targetids");
  trees.leaf_weights = required_vector(node, "leaf_weights");
  trees.targets = target_count(node, trees.leaf_targets);
  const std::int64_t aggregate = node.integer("aggregate_function", 1);
  check(aggregate >= 0 && aggregate <= 3, "aggregate_function is ", aggregate);
  trees.aggregate = static_cast<TreeAggregate>(aggregate);
  const std::int64_t transform = node.integer("post_transform", 0);
  check(transform >= 0 && transform <= 4, "post_transform is ", transform);
  return hir::TreeEnsemble{std::move(trees), static_cast<hir::PostTransform>(transform)};
}

}  // namespace

void register_tree_ensemble(Registry& r) {
  r.add_to("ai.onnx.ml", "TreeEnsemble", {5}, parse_tree_ensemble);
}

}  // namespace strata::onnx
