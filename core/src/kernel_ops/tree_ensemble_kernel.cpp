#include "kernel_ops/tree_ensemble_kernel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "kernel_ops/packed_trees.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

constexpr auto kLanes = static_cast<std::int64_t>(kTreeLanes);
constexpr std::int64_t kRows = 128;  ///< rows that walk a tree before the next, while it is near

std::int64_t whole_lanes(std::int64_t n) { return (n + kLanes - 1) / kLanes; }

std::size_t total_bytes(std::int64_t targets) {
  return static_cast<std::size_t>(kRows * targets) * sizeof(double);
}

/// The walks of a set of rows. Some memory holds the totals, and the keys: of kLanes rows, those of
/// one feature side by side.
class Walks {
 public:
  Walks(const TreeEnsembleKernel& op, const KernelIo& io, std::byte* memory)
      : op_(op),
        x_(io.inputs[0]),
        width_(io.inputs[0].shape[1]),
        y_(io.outputs[0]),
        nodes_(io.inputs[1].as<TreeNode>()),
        features_(io.inputs[2].as<std::int32_t>()),
        tested_(io.inputs[2].shape[0]),
        weights_(io.inputs[3].as<double>()),
        targets_(io.inputs[4].shape[0] == 0 ? nullptr : io.inputs[4].as<std::int32_t>()),
        totals_(reinterpret_cast<double*>(memory)),
        keys_(reinterpret_cast<std::uint32_t*>(memory + total_bytes(op.targets))) {}

  void run(kernels::Range rows) {
    for (; rows.begin < rows.end; rows.begin += kRows)
      run_some(rows.begin, std::min(kRows, rows.end - rows.begin));
  }

 private:
  using Nodes = std::array<std::uint32_t, kTreeLanes>;

  void run_some(std::int64_t first, std::int64_t count) {
    std::fill_n(totals_, count * op_.targets, start());
    const std::int64_t rest = count % kLanes;
    // The rows that are left over walk one tree together, or each of them kLanes trees.
    const bool one_by_one = rest * whole_lanes(op_.roots) < op_.roots;
    const std::int64_t together = one_by_one ? count - rest : count;
    walk_together(first, together);
    for (std::int64_t r = together; r < count; ++r)
      walk_alone(first + r, totals_ + r * op_.targets);
    const auto write = [&](auto* y) { std::copy_n(totals_, count * op_.targets, y); };
    if (x_.dtype == DatumType::f32)
      write(y_.as<float>() + first * op_.targets);
    else
      write(y_.as<double>() + first * op_.targets);
  }

  void walk_together(std::int64_t first, std::int64_t count) {
    for (std::int64_t r = 0; r < count; r += kLanes)
      take_keys(first + r, std::min(kLanes, count - r), keys_ + r * tested_);
    for (std::int64_t root = 0; root < op_.roots; ++root)
      for (std::int64_t r = 0; r < count; r += kLanes) {
        Nodes at;
        at.fill(static_cast<std::uint32_t>(root));
        add(leaves_of(keys_ + r * tested_, at), std::min(kLanes, count - r),
            totals_ + r * op_.targets, op_.targets);
      }
  }

  void walk_alone(std::int64_t row, double* totals) {
    take_keys(row, 1, keys_);
    for (std::int64_t root = 0; root < op_.roots; root += kLanes) {
      Nodes at;
      for (std::size_t i = 0; i < kTreeLanes; ++i)
        at[i] = static_cast<std::uint32_t>(
            std::min(root + static_cast<std::int64_t>(i), op_.roots - 1));
      add(leaves_of(keys_, at), std::min(kLanes, op_.roots - root), totals, 0);
    }
  }

  /// The keys of some rows; the last one is there again for each that is lacking.
  void take_keys(std::int64_t first, std::int64_t count, std::uint32_t* to) const {
    if (x_.dtype == DatumType::f32)
      take_keys_of(x_.as<float>() + first * width_, count, to);
    else
      take_keys_of(x_.as<double>() + first * width_, count, to);
  }
  template <class T>
  void take_keys_of(const T* x, std::int64_t count, std::uint32_t* to) const {
    for (std::int64_t f = 0; f < tested_; ++f)
      for (std::int64_t i = 0; i < kLanes; ++i)
        *to++ = static_cast<std::uint32_t>(
            tree_key(x[std::min(i, count - 1) * width_ + features_[f]], op_.rounds_up));
  }

  /// Where walks from these nodes end; one that is at its leaf goes round and round.
  Nodes leaves_of(const std::uint32_t* keys, Nodes at) const {
    return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
      for (std::uint32_t moved = 1; moved != 0;) {
        const Nodes next{next_of(at[lane], keys + lane)...};
        moved = ((next[lane] ^ at[lane]) | ...);
        at = next;
      }
      return at;
    }
    (std::make_index_sequence<kTreeLanes>{});
  }
  std::uint32_t next_of(std::uint32_t at, const std::uint32_t* keys) const {
    const TreeNode& node = nodes_[at];
    return node.next + (keys[node.feature] - node.low > node.span ? 1 : 0);
  }

  /// What the first leaves vote for goes to totals that lie `step` apart.
  void add(const Nodes& leaves, std::int64_t count, double* totals, std::int64_t step) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i, totals += step) {
      const std::uint32_t leaf = nodes_[leaves[i]].low;
      if (targets_)
        join(totals[targets_[leaf]], weights_[leaf]);
      else
        for (std::int64_t t = 0; t < op_.targets; ++t)
          join(totals[t], weights_[leaf * op_.targets + t]);
    }
  }
  void join(double& total, double weight) const {
    if (op_.aggregate == TreeAggregate::min)
      total = std::min(total, weight);
    else if (op_.aggregate == TreeAggregate::max)
      total = std::max(total, weight);
    else
      total += weight;
  }
  double start() const {
    const double greatest = x_.dtype == DatumType::f32 ? std::numeric_limits<float>::max()
                                                       : std::numeric_limits<double>::max();
    if (op_.aggregate == TreeAggregate::min) return greatest;
    return op_.aggregate == TreeAggregate::max ? -greatest : 0;
  }

  const TreeEnsembleKernel& op_;
  const TensorView& x_;
  std::int64_t width_;
  const MutableTensorView& y_;
  const TreeNode* nodes_;
  const std::int32_t* features_;
  std::int64_t tested_;
  const double* weights_;
  const std::int32_t* targets_;  ///< null where each leaf votes for all
  double* totals_;
  std::uint32_t* keys_;
};

std::size_t memory_for(std::int64_t targets, std::int64_t tested) {
  return total_bytes(targets) + static_cast<std::size_t>(kRows * tested) * sizeof(TreeKey);
}

}  // namespace

FactList TreeEnsembleKernel::output_facts(Facts in) const {
  return {Fact::tensor(in[0].dtype, std::vector<Dim>{in[0].shape[0], targets})};
}

std::size_t TreeEnsembleKernel::scratch_bytes(Facts in) const {
  return memory_for(targets, (*in[2].shape.concrete())[0]);
}

void TreeEnsembleKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const std::int64_t tested = io.inputs[2].shape[0],
                     widest = tested == 0 ? -1 : io.inputs[2].as<std::int32_t>()[tested - 1];
  check_data(widest < shape[1], "(C4) feature ", widest, " of ", shape[1]);
  constexpr double kWalk = 2000;  // operations in the time of one
  const WorkSize work{kWalk * static_cast<double>(shape[0] * roots), 0};
  share_range(io, work,
              {.n = shape[0], .step = kLanes, .scratch_bytes = memory_for(targets, tested)},
              [&](kernels::Range rows, std::byte* memory) { Walks(*this, io, memory).run(rows); });
}

std::string TreeEnsembleKernel::explain(Facts in, Facts) const {
  const bool vote_for_all = targets > 1 && in[4].shape[0] == Dim(0);
  return cat("trees, ", kTreeLanes, " walks at once",
             vote_for_all ? "; a leaf has weights for all targets" : "");
}

/// TreeEnsemble of f32, or of f64 and thresholds that are floats -> TreeEnsembleKernel
Rewrite lower_tree_ensemble(const NodeView& node, const Target&) {
  const TreeEnsemble* trees = node.op().as<TreeEnsemble>();
  constexpr std::size_t kMost = 1 << 28;  // their places have 32 bits, as features do
  constexpr std::int64_t kMostFeatures = std::numeric_limits<std::int32_t>::max();
  if (!trees || node.input_fact(0).shape.is_open() || trees->tests.size() > kMost ||
      static_cast<std::size_t>(trees->members.size()) > kMost ||
      std::ranges::any_of(trees->features, [](std::int64_t f) { return f > kMostFeatures; }))
    return no_change;
  const auto floats = float_thresholds(*trees);
  if (!floats) return no_change;
  const PackedTrees packed = packed_trees(*trees, floats->thresholds);
  Patch patch(node);
  const OutletIds inputs{node.input(0), patch.constant("nodes", packed.nodes),
                         patch.constant("features", packed.features),
                         patch.constant("weights", packed.leaf_weights),
                         patch.constant("targets", packed.leaf_targets)};
  const TreeEnsembleKernel kernel{packed.roots, trees->targets, trees->aggregate,
                                  floats->rounds_up};
  patch.shunt(node.output(), patch.wire_one("", kernel, inputs));
  return patch;
}

}  // namespace strata
