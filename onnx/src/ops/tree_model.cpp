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

/// Makes trees whose leaves have one vote each. Where leaves have several, each tree is there
/// several times, once for the first votes of its leaves, once for the second, and so on; a leaf
/// with fewer repeats its first for min and max, and gives 0 for sums.
class TreeWriter {
 public:
  TreeWriter(const Nodes& nodes, TreeAggregate aggregate, std::int64_t targets) : nodes_(nodes) {
    out_.aggregate = aggregate;
    out_.targets = targets;
    number_nodes();
    const Tensor thresholds_given = cast(nodes.thresholds, DatumType::f64);
    given_ = thresholds_given.as<double>();
    std::size_t copies = 1;
    for (const auto& votes : nodes.votes) copies = std::max(copies, votes.size());
    constexpr std::size_t kMostNodes = std::size_t{1} << 28;
    require(copies <= kMostNodes / std::max<std::size_t>(nodes.size(), 1), ErrorKind::limit,
            nodes.size(), " nodes of trees, with up to ", copies, " votes each, are too many");
    for (std::size_t copy = 0; copy < copies; ++copy) add_copy(copy);
    const DatumType type = nodes.thresholds.dtype();
    out_.thresholds = cast(vector_of(thresholds_), type);
    out_.leaf_weights = cast(vector_of(weights_), type);
    out_.members = cast(vector_of(std::vector<double>{}), type);
  }

  TreeEnsemble result() && { return std::move(out_); }

 private:
  /// Branches and leaves, each from 0; the first node of a tree is its root.
  void number_nodes() {
    std::set<std::int64_t> trees;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (trees.insert(nodes_.tree[i]).second) roots_.push_back(i);
      number_.push_back(nodes_.is_leaf(i) ? leaves_++ : branches_++);
    }
  }

  void add_copy(std::size_t copy) {
    const auto c = static_cast<std::int64_t>(copy);
    const std::int64_t first_branch = static_cast<std::int64_t>(out_.tests.size()),
                       first_leaf = c * leaves_;
    const auto branch_to = [&](std::int64_t node) {
      const auto i = static_cast<std::size_t>(node);
      return nodes_.is_leaf(i) ? -1 - (first_leaf + number_[i]) : first_branch + number_[i];
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_.is_leaf(i))
        add_leaf(nodes_.votes[i], copy);
      else
        add_branch(i, branch_to(nodes_.on_true[i]), branch_to(nodes_.on_false[i]));
    }
    for (const std::size_t root : roots_) {
      const std::int64_t at = branch_to(static_cast<std::int64_t>(root));
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
    thresholds_.push_back(given_[i]);
    out_.on_true.push_back(on_true);
    out_.on_false.push_back(on_false);
    out_.missing_is_true.push_back(nodes_.missing_is_true[i]);
  }

  void add_leaf(const std::vector<Vote>& votes, std::size_t copy) {
    const bool is_sum =
        out_.aggregate == TreeAggregate::sum || out_.aggregate == TreeAggregate::average;
    require(is_sum || !votes.empty(), ErrorKind::unsupported,
            "a leaf without weights under MIN or MAX");
    const Vote none;
    const Vote& vote = copy < votes.size() ? votes[copy] : is_sum ? none : votes[0];
    out_.leaf_targets.push_back(vote.target);
    weights_.push_back(vote.weight);
  }

  const Nodes& nodes_;
  std::vector<std::size_t> roots_;
  std::vector<std::int64_t> number_;
  std::int64_t branches_ = 0, leaves_ = 0;
  std::span<const double> given_;  ///< the thresholds, while copies are added
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
  op.trees = TreeWriter(nodes, aggregate, targets).result();
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
  op.trees = TreeWriter(nodes, TreeAggregate::sum, only ? 1 : classes).result();
  return op;
}

}  // namespace

void register_tree_model(Registry& r) {
  r.add_to(kMl, "TreeEnsembleClassifier", {1, 3, 5}, parse_tree_classifier);
  r.add_to(kMl, "TreeEnsembleRegressor", {1, 3, 5}, parse_tree_regressor);
}

}  // namespace strata::onnx
