#include "strata/hir/ops/tree_model.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

constexpr std::array<std::string_view, 6> kModes = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                    "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr std::string_view kLeaf = "LEAF";

/// Floats of a list, or those of the tensor `<name>_as_tensor`, which came with version 3.
Tensor numbers_of(NodeArgs& node, std::string_view name) {
  const std::vector<float> list = list_or_empty(node, name);
  if (node.version() < 3) return vector_of(list);
  const auto tensor = node.tensor(cat(name, "_as_tensor"));
  check(list.empty() || !tensor, "both ", name, " and ", name, "_as_tensor are given");
  return tensor ? tensor->reshaped({tensor->size()}) : vector_of(list);
}

struct Vote {
  std::int64_t target = 0;
  double weight = 0;
};

/// The nodes of all trees as the attributes list them, each with the votes of its leaf.
struct Nodes {
  std::vector<std::string> modes;
  std::vector<std::int64_t> tree, feature, on_true, on_false;  ///< branches as node numbers here
  std::vector<std::uint8_t> missing_is_true;
  Tensor thresholds;
  std::vector<std::vector<Vote>> votes;

  std::size_t size() const { return modes.size(); }
  bool is_leaf(std::size_t i) const { return modes[i] == kLeaf; }
};

std::vector<std::int64_t> list_of(NodeArgs& node, std::string_view name, std::size_t size) {
  const Shape values = node.required_integers(name);
  check(values.size() == size, name, " has ", values.size(), " entries, not ", size);
  return {values.begin(), values.end()};
}

using NodePlaces = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

/// The place of the node of a tree with this id.
std::int64_t place_of(const NodePlaces& places, std::int64_t tree, std::int64_t id) {
  const auto found = places.find({tree, id});
  check(found != places.end(), "tree ", tree, " has no node ", id);
  return found->second;
}

/// `prefix` is class or target: what the votes are for.
void read_votes(NodeArgs& node, std::string_view prefix, const NodePlaces& places, Nodes& out) {
  const std::size_t count = node.required_integers(cat(prefix, "_ids")).size();
  const auto trees = list_of(node, cat(prefix, "_treeids"), count),
             ids = list_of(node, cat(prefix, "_nodeids"), count),
             targets = list_of(node, cat(prefix, "_ids"), count);
  const Tensor weights = cast(numbers_of(node, cat(prefix, "_weights")), DatumType::f64);
  check(std::cmp_equal(weights.size(), count), weights.size(), " weights for ", count, " votes");
  for (std::size_t i = 0; i < count; ++i)
    out.votes[static_cast<std::size_t>(place_of(places, trees[i], ids[i]))].push_back(
        {targets[i], weights.as<double>()[i]});
}

Nodes read_nodes(NodeArgs& node, std::string_view prefix) {
  node.ignore("nodes_hitrates");
  if (node.version() >= 3) node.ignore("nodes_hitrates_as_tensor");
  Nodes out;
  out.modes = node.texts("nodes_modes").value_or(std::vector<std::string>{});
  const std::size_t size = out.size();
  out.tree = list_of(node, "nodes_treeids", size);
  out.feature = list_of(node, "nodes_featureids", size);
  out.thresholds = numbers_of(node, "nodes_values");
  check(std::cmp_equal(out.thresholds.size(), size), "nodes_values has ", out.thresholds.size(),
        " entries, not ", size);
  const auto ids = list_of(node, "nodes_nodeids", size),
             on_true = list_of(node, "nodes_truenodeids", size),
             on_false = list_of(node, "nodes_falsenodeids", size);
  NodePlaces places;
  for (std::size_t i = 0; i < size; ++i)
    check(places.emplace(std::pair(out.tree[i], ids[i]), static_cast<std::int64_t>(i)).second,
          "tree ", out.tree[i], " has two nodes ", ids[i]);
  out.on_true.resize(size);
  out.on_false.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (out.is_leaf(i)) continue;
    out.on_true[i] = place_of(places, out.tree[i], on_true[i]);
    out.on_false[i] = place_of(places, out.tree[i], on_false[i]);
  }
  out.missing_is_true.assign(size, 0);
  if (const auto missing = node.integers("nodes_missing_value_tracks_true")) {
    check(missing->empty() || missing->size() == size, "nodes_missing_value_tracks_true has ",
          missing->size(), " entries, not ", size);
    for (std::size_t i = 0; i < missing->size(); ++i) out.missing_is_true[i] = (*missing)[i] != 0;
  }
  out.votes.resize(size);
  read_votes(node, prefix, places, out);
  return out;
}

/// For each node, the number of votes of the leaf with the most votes below it.
std::vector<std::size_t> most_votes(const Nodes& nodes) {
  std::vector<std::vector<std::size_t>> parents(nodes.size());
  std::vector<std::size_t> leaves;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.is_leaf(i)) {
      leaves.push_back(i);
    } else {
      parents[static_cast<std::size_t>(nodes.on_true[i])].push_back(i);
      parents[static_cast<std::size_t>(nodes.on_false[i])].push_back(i);
    }
  }
  const auto votes_of = [&](std::size_t leaf) { return nodes.votes[leaf].size(); };
  std::ranges::sort(leaves, std::greater<>{}, votes_of);
  std::vector<std::size_t> most(nodes.size(), 0);
  std::vector<std::size_t> todo;
  for (const std::size_t leaf : leaves) {
    todo.push_back(leaf);
    while (!todo.empty()) {
      const std::size_t i = todo.back();
      todo.pop_back();
      if (most[i] >= votes_of(leaf)) continue;
      most[i] = votes_of(leaf);
      todo.insert(todo.end(), parents[i].begin(), parents[i].end());
    }
  }
  return most;
}

/// Makes trees whose leaves have one vote each. A tree whose leaves have several votes is copied:
/// the first copy has the first vote of each leaf, the second copy the second vote, and so on. A
/// copy leaves out branches that lead only to leaves with fewer votes; in their place it has a vote
/// of 0 for sums, and the first votes again for min and max.
class TreeWriter {
 public:
  TreeWriter(const Nodes& nodes, TreeAggregate aggregate, std::int64_t targets)
      : nodes_(nodes),
        given_thresholds_(cast(nodes.thresholds, DatumType::f64)),
        most_votes_(most_votes(nodes)),
        places_(nodes.size()) {
    out_.aggregate = aggregate;
    out_.targets = targets;
  }

  TreeEnsemble write() && {
    check_size();
    std::set<std::int64_t> trees;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (trees.insert(nodes_.tree[i]).second) roots_.push_back(i);
      kept.push_back(i);
    }
    for (std::size_t copy = 0; copy == 0 || !kept.empty(); ++copy) {
      add_copy(copy, kept);
      if (copy == 0) first_places_ = places_;
      std::erase_if(kept, [&](std::size_t i) { return !is_kept(i, copy + 1); });
    }
    const DatumType type = nodes_.thresholds.dtype();
    out_.thresholds = cast(vector_of(thresholds_), type);
    out_.leaf_weights = cast(vector_of(weights_), type);
    out_.members = cast(vector_of(std::vector<double>{}), type);
    return std::move(out_);
  }

 private:
  bool is_sum() const {
    return out_.aggregate == TreeAggregate::sum || out_.aggregate == TreeAggregate::average;
  }
  /// Whether a node is in this copy of its tree.
  bool is_kept(std::size_t i, std::size_t copy) const { return copy == 0 || most_votes_[i] > copy; }

  /// The path to a leaf of many votes is copied for each of them, which may take a lot of memory.
  void check_size() const {
    std::size_t given = nodes_.size(), made = 0;
    for (const auto& votes : nodes_.votes) given += votes.size();
    for (const std::size_t most : most_votes_) made += std::max<std::size_t>(most, 1);
    constexpr std::size_t kFewNodes = std::size_t{1} << 22, kGrowth = 64;
    require(made <= kFewNodes + kGrowth * given, ErrorKind::limit, nodes_.size(),
            " nodes of trees, which their votes make ", made, ", are too many");
  }

  /// What a branch to this node leads to in this copy.
  std::int64_t branch_to(std::int64_t node, std::size_t copy) {
    const auto i = static_cast<std::size_t>(node);
    if (is_kept(i, copy)) return places_[i];
    if (!is_sum()) return first_places_[i];
    if (!no_vote_) {
      no_vote_ = next_leaf();
      add_leaf({});
    }
    return *no_vote_;
  }
  std::int64_t next_leaf() const { return -1 - static_cast<std::int64_t>(weights_.size()); }

  /// Branches and leaves are numbered in the order of the nodes; the first node of a tree is its
  /// root.
  void add_copy(std::size_t copy, const std::vector<std::size_t>& kept) {
    auto branch = static_cast<std::int64_t>(out_.tests.size());
    for (const std::size_t i : kept) {
      places_[i] = nodes_.is_leaf(i) ? next_leaf() : branch++;
      if (nodes_.is_leaf(i)) add_leaf(vote_of(nodes_.votes[i], copy));
    }
    for (const std::size_t i : kept)
      if (!nodes_.is_leaf(i))
        add_branch(i, branch_to(nodes_.on_true[i], copy), branch_to(nodes_.on_false[i], copy));
    std::erase_if(roots_, [&](std::size_t root) { return !is_kept(root, copy); });
    for (const std::size_t root : roots_) {
      const std::int64_t at = places_[root];
      out_.roots.push_back(at >= 0 ? at : static_cast<std::int64_t>(out_.tests.size()));
      if (at < 0) add_branch(root, at, at);
    }
  }

  void add_branch(std::size_t i, std::int64_t on_true, std::int64_t on_false) {
    const auto mode = std::find(kModes.begin(), kModes.end(), nodes_.modes[i]);
    check(mode != kModes.end() || nodes_.is_leaf(i), "a node has the mode ",
          in_quotes(nodes_.modes[i]));
    out_.tests.push_back(static_cast<std::uint8_t>(nodes_.is_leaf(i) ? 0 : mode - kModes.begin()));
    out_.features.push_back(nodes_.is_leaf(i) ? 0 : nodes_.feature[i]);
    thresholds_.push_back(given_thresholds_.as<double>()[i]);
    out_.on_true.push_back(on_true);
    out_.on_false.push_back(on_false);
    out_.missing_is_true.push_back(nodes_.missing_is_true[i]);
  }

  Vote vote_of(const std::vector<Vote>& votes, std::size_t copy) const {
    require(is_sum() || !votes.empty(), ErrorKind::unsupported,
            "a leaf without weights under MIN or MAX");
    return copy < votes.size() ? votes[copy] : is_sum() ? Vote{} : votes[0];
  }
  void add_leaf(const Vote& vote) {
    out_.leaf_targets.push_back(vote.target);
    weights_.push_back(vote.weight);
  }

  const Nodes& nodes_;
  Tensor given_thresholds_;  ///< of the nodes, in f64
  std::vector<std::size_t> most_votes_;
  std::vector<std::size_t> roots_;
  std::vector<std::int64_t> places_, first_places_;  ///< of nodes in this copy, and in the first
  std::optional<std::int64_t> no_vote_;              ///< a leaf that adds nothing
  std::vector<double> thresholds_, weights_;
  TreeEnsemble out_;
};

std::size_t tree_count(const Nodes& nodes) {
  return std::set<std::int64_t>(nodes.tree.begin(), nodes.tree.end()).size();
}

Tensor base_values(NodeArgs& node, std::int64_t targets) {
  const Tensor base = cast(numbers_of(node, "base_values"), DatumType::f64);
  check(base.size() <= 1 || base.size() == targets, base.size(), " base values for ", targets,
        " targets");
  return base;
}

hir::InferenceOp parse_tree_regressor(NodeArgs& node) {
  node.expect_inputs(1, 1);
  constexpr std::array<std::string_view, 4> kAggregates = {"AVERAGE", "SUM", "MIN", "MAX"};
  const Nodes nodes = read_nodes(node, "target");
  const std::int64_t targets = node.required_integer("n_targets");
  const std::string text = node.text("aggregate_function", "SUM");
  const auto found = std::find(kAggregates.begin(), kAggregates.end(), text);
  check(found != kAggregates.end(), "aggregate_function is ", in_quotes(text));
  auto aggregate = static_cast<TreeAggregate>(found - kAggregates.begin());
  hir::TreeRegressor op;
  if (aggregate == TreeAggregate::average) {
    // Copies of a tree for its further votes must not count as trees.
    op.divisor = static_cast<double>(std::max<std::size_t>(tree_count(nodes), 1));
    aggregate = TreeAggregate::sum;
  }
  op.trees = TreeWriter(nodes, aggregate, targets).write();
  op.base = base_values(node, targets);
  op.transform = post_transform(node);
  return op;
}

/// The one class that all votes are for, of one or two classes; nothing otherwise.
std::optional<std::int64_t> only_class(const Nodes& nodes, std::int64_t classes) {
  std::set<std::int64_t> voted;
  for (const auto& votes : nodes.votes)
    for (const Vote& vote : votes) voted.insert(vote.target);
  if (classes > 2 || voted.size() != 1) return std::nullopt;
  return *voted.begin();
}

/// Votes for one class only score the second of two.
void score_second_class(Nodes& nodes, std::int64_t voted, hir::TreeClassifier& op) {
  for (auto& votes : nodes.votes)
    for (Vote& vote : votes) vote.target = 0;
  if (op.base.size() == 2)
    op.base = Tensor::of<double>({1}, {op.base.as<double>()[voted == 0 ? 0 : 1]});
  if (op.labels.size() == 2) return;
  require(op.labels.dtype() == DatumType::i64, ErrorKind::unsupported,
          "one label, a text: the other class has none");
  op.labels = Tensor::of<std::int64_t>({2}, {0, op.labels.as<std::int64_t>()[0]});
}

hir::InferenceOp parse_tree_classifier(NodeArgs& node) {
  node.expect_inputs(1, 1);
  Nodes nodes = read_nodes(node, "class");
  hir::TreeClassifier op;
  op.labels = class_labels(node, "classlabels_int64s", "classlabels_strings");
  const std::int64_t classes = op.labels.size();
  check(classes > 0, "no labels are given");
  op.base = base_values(node, classes);
  op.transform = post_transform(node);
  const auto only = only_class(nodes, classes);
  if (only) score_second_class(nodes, *only, op);
  op.trees = TreeWriter(nodes, TreeAggregate::sum, only ? 1 : classes).write();
  return op;
}

}  // namespace

void register_tree_model(Registry& r) {
  r.add_to(kMl, "TreeEnsembleClassifier", {1, 3, 5}, parse_tree_classifier);
  r.add_to(kMl, "TreeEnsembleRegressor", {1, 3, 5}, parse_tree_regressor);
}

}  // namespace strata::onnx
