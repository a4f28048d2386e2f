#include "strata/core/ops/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

using Integers = std::vector<std::int64_t>;

void check_within(std::string_view what, const Integers& list, std::int64_t least,
                  std::int64_t end) {
  for (const std::int64_t value : list)
    check(value >= least && value < end, "(C4) ", what, ' ', value, " is not between ", least,
          " and ", end - 1);
}

void check_lists(const TreeEnsemble& op) {
  const std::size_t nodes = op.tests.size();
  const auto leaves = static_cast<std::int64_t>(op.leaf_targets.size());
  const auto is_whole = [&](std::size_t size) { return size == nodes; };
  check(is_whole(op.features.size()) && is_whole(static_cast<std::size_t>(op.thresholds.size())) &&
            is_whole(op.on_true.size()) && is_whole(op.on_false.size()) &&
            (op.missing_is_true.empty() || is_whole(op.missing_is_true.size())) &&
            (op.member_ends.empty() || is_whole(op.member_ends.size())) &&
            op.leaf_weights.size() == leaves,
        "(C3) lists do not have ", nodes, " nodes and ", leaves, " leaves");
  const auto node_end = static_cast<std::int64_t>(nodes);
  check_within("root", op.roots, 0, node_end);
  check_within("branch", op.on_true, -leaves, node_end);
  check_within("branch", op.on_false, -leaves, node_end);
  check_within("target", op.leaf_targets, 0, op.targets);
  check_within("feature", op.features, 0, std::numeric_limits<std::int64_t>::max());
  check_within("member end", op.member_ends, 0, op.members.size() + 1);
  check(std::is_sorted(op.member_ends.begin(), op.member_ends.end()),
        "(C4) member ends are not in order");
  for (const std::uint8_t test : op.tests)
    check(test < static_cast<int>(TreeTest::member) ||
              (test == static_cast<int>(TreeTest::member) && !op.member_ends.empty()),
          "(C4) a node makes test ", static_cast<int>(test));
}

/// Takes away nodes without parents until none is left; those on a cycle stay.
void check_acyclic(const TreeEnsemble& op) {
  std::vector<std::size_t> parents(op.tests.size(), 0);
  for (const Integers* branches : {&op.on_true, &op.on_false})
    for (const std::int64_t child : *branches)
      if (child >= 0) ++parents[static_cast<std::size_t>(child)];
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < parents.size(); ++i)
    if (parents[i] == 0) free.push_back(i);
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const std::size_t node = free.back();
    free.pop_back();
    for (const std::int64_t child : {op.on_true[node], op.on_false[node]})
      if (child >= 0 && --parents[static_cast<std::size_t>(child)] == 0)
        free.push_back(static_cast<std::size_t>(child));
  }
  check(taken == parents.size(), "(C5) a branch leads back to its own node");
}

/// The numbers of an ensemble in one type.
struct Trees {
  explicit Trees(const TreeEnsemble& ensemble)
      : op(ensemble),
        thresholds(cast(op.thresholds, DatumType::f64)),
        members(cast(op.members, DatumType::f64)),
        weights(cast(op.leaf_weights, DatumType::f64)) {}

  bool is_member(std::size_t node, double x) const {
    const double* all = members.as<double>().data();
    const std::int64_t begin = node == 0 ? 0 : op.member_ends[node - 1];
    return std::find(all + begin, all + op.member_ends[node], x) != all + op.member_ends[node];
  }
  bool takes_true(std::size_t node, double x) const {
    if (std::isnan(x)) return !op.missing_is_true.empty() && op.missing_is_true[node] != 0;
    const double t = thresholds.as<double>()[node];
    switch (static_cast<TreeTest>(op.tests[node])) {
      case TreeTest::less_or_equal:
        return x <= t;
      case TreeTest::less:
        return x < t;
      case TreeTest::greater_or_equal:
        return x >= t;
      case TreeTest::greater:
        return x > t;
      case TreeTest::equal:
        return x == t;
      case TreeTest::not_equal:
        return x != t;
      case TreeTest::member:
        return is_member(node, x);
    }
    fail(ErrorKind::internal, "a test that is unknown");
  }
  std::size_t leaf_of(std::int64_t at, const double* row) const {
    while (at >= 0) {
      const auto node = static_cast<std::size_t>(at);
      at = takes_true(node, row[op.features[node]]) ? op.on_true[node] : op.on_false[node];
    }
    return static_cast<std::size_t>(-1 - at);
  }
  void add(double& total, double weight) const {
    switch (op.aggregate) {
      case TreeAggregate::average:
        total += weight / static_cast<double>(op.roots.size());
        return;
      case TreeAggregate::sum:
        total += weight;
        return;
      case TreeAggregate::min:
        total = std::min(total, weight);
        return;
      case TreeAggregate::max:
        total = std::max(total, weight);
        return;
    }
  }

  const TreeEnsemble& op;
  Tensor thresholds, members, weights;
};

double greatest_of(DatumType type) {
  if (type == DatumType::f64) return std::numeric_limits<double>::max();
  if (type == DatumType::f16) return 65504;
  return std::numeric_limits<float>::max();
}

double start_of(TreeAggregate aggregate, DatumType type) {
  if (aggregate == TreeAggregate::min) return greatest_of(type);
  if (aggregate == TreeAggregate::max) return -greatest_of(type);
  return 0;
}

}  // namespace

FactList TreeEnsemble::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const DatumType type = in[0].dtype;
  check(type == DatumType::f16 || type == DatumType::f32 || type == DatumType::f64, "(C1) x is of ",
        type);
  for (const Tensor* each : {&thresholds, &members, &leaf_weights})
    check(each->dtype() == type && each->rank() == 1, "(C1) ", *each, " beside x of ", type);
  check(may_have_rank(in[0].shape, 2), "(C2) x has the shape ", in[0].shape);
  check_lists(*this);
  check_acyclic(*this);
  if (in[0].shape.is_open()) return {Fact::tensor(type, std::vector<Dim>{fresh_dim(), targets})};
  return {Fact::tensor(type, std::vector<Dim>{in[0].shape[0], targets})};
}

TensorList TreeEnsemble::eval(Tensors in) const {
  check_data(in[0].rank() == 2, "(C2) x has the shape ", Span(in[0].shape()));
  const std::int64_t rows = in[0].shape()[0], width = in[0].shape()[1];
  const auto widest = std::max_element(features.begin(), features.end());
  check_data(features.empty() || *widest < width, "(C4) feature ", features.empty() ? 0 : *widest,
             " of ", width);
  const Tensor x = cast(in[0], DatumType::f64);
  const Trees trees(*this);
  MutableTensor out(DatumType::f64, {rows, targets});
  double* totals = out.as<double>().data();
  std::fill_n(totals, rows * targets, start_of(aggregate, in[0].dtype()));
  for (std::int64_t r = 0; r < rows; ++r)
    for (const std::int64_t root : roots) {
      const std::size_t leaf = trees.leaf_of(root, x.as<double>().data() + r * width);
      trees.add(totals[r * targets + leaf_targets[leaf]], trees.weights.as<double>()[leaf]);
    }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
