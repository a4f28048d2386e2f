#include "kernel_ops/reduce_kernel.h"

#include <cmath>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/folds.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using std::int64_t;

/// The axes of data, innermost first; neighbours of one kind are one. Empty data have one axis of
/// size 0.
struct ReducedAxes {
  std::size_t rank = 0;
  int64_t size[kMaxKernelRank];
  int64_t out_step[kMaxKernelRank];  ///< 0 where the axis is reduced
  int64_t reduced = 1;               ///< numbers that become one
  int64_t kept = 1;                  ///< numbers of the output
  bool is_reduced(std::size_t axis) const { return out_step[axis] == 0; }
};

ReducedAxes axes_of(Span shape, const ReduceKernel& op) {
  bool along[kMaxKernelRank] = {};
  for (const int64_t axis : op.axes) along[axis_from_start(axis, shape.size())] = true;
  const bool all = op.axes.empty() && op.no_axes == NoAxes::means_all;
  ReducedAxes out;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const bool is_reduced = all || along[axis];
    const int64_t step = is_reduced ? 0 : out.kept;
    (is_reduced ? out.reduced : out.kept) *= shape[axis];
    if (shape[axis] == 1) continue;
    if (out.rank > 0 && is_reduced == out.is_reduced(out.rank - 1)) {
      out.size[out.rank - 1] *= shape[axis];
    } else {
      out.size[out.rank] = shape[axis], out.out_step[out.rank] = step;
      ++out.rank;
    }
  }
  if (out.rank == 0) out.size[0] = 1, out.out_step[0] = 0, out.rank = 1;
  return out;
}

/// Calls `row(from, to)` with the element offsets of each row along the innermost axis.
template <class Row>
void for_each_row(const ReducedAxes& axes, const Row& row) {
  int64_t index[kMaxKernelRank] = {}, from = 0, to = 0;
  for (;;) {
    row(from, to);
    from += axes.size[0];
    std::size_t axis = 1;
    for (; axis < axes.rank; ++axis) {
      to += axes.out_step[axis];
      if (++index[axis] < axes.size[axis]) break;
      to -= axes.out_step[axis] * axes.size[axis];
      index[axis] = 0;
    }
    if (axis >= axes.rank) return;
  }
}

constexpr int64_t kBlock = 256;
constexpr double kNumberSteps = 80;  ///< of vectors, in the time that a number takes
constexpr int64_t kShortRow = 16;    // which takes less time than calling a function for it

/// Whether numbers of several types become Wide ones; bytes and i32 may stay what they are.
template <class Wide>
constexpr bool kWidens = sizeof(Wide) == sizeof(int64_t);

/// As visit_computed; bool counts as an unsigned integer.
template <class Wide, class Visit>
void visit_numbers(DatumType type, const Visit& visit) {
  if constexpr (!kWidens<Wide>) {
    visit(TypeTag<Wide>{});
  } else {
    if constexpr (std::is_same_v<Wide, std::uint64_t>)
      if (type == DatumType::boolean) return visit(TypeTag<bool>{});
    visit_computed<Wide>(type, visit);
  }
}

template <class Wide>
void widen(const std::byte* from, DatumType type, Wide* to, int64_t n) {
  if constexpr (std::is_same_v<Wide, double>)
    if (type == DatumType::f32) return strata::widen(reinterpret_cast<const float*>(from), to, n);
  visit_numbers<Wide>(type, [&]<class T>(TypeTag<T>) {
    const T* x = reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Wide>(widened(x[i]));
  });
}

constexpr auto kUnchanged = [](auto*, int64_t, int64_t) {};
template <class Change>
constexpr bool is_unchanged = std::is_same_v<Change, std::remove_const_t<decltype(kUnchanged)>>;

/// Folds rows that follow each other into `totals`.
template <class Wide>
void fold_short_rows(const TensorView& data, const ReducedAxes& axes, const Folding<Wide>& folding,
                     Wide* totals) {
  const int64_t n = axes.size[0];
  if (data.dtype == datum_type_of<Wide>)
    return folding.short_rows(totals, data.as<Wide>(), axes.kept, n);
  if constexpr (kWidens<Wide>) {
    const int64_t width = width_of(data), at_once = kBlock / n;
    for (int64_t row = 0; row < axes.kept; row += at_once) {
      Wide block[kBlock];
      const int64_t count = std::min(at_once, axes.kept - row);
      widen(data.data + row * n * width, data.dtype, block, count * n);
      folding.short_rows(totals + row, block, count, n);
    }
  }
}

/// Folds all data into `totals`. `change(x, n, to)` may change the numbers that go to the totals
/// from `to` on.
template <class Wide, class Change>
void fold(const TensorView& data, const ReducedAxes& axes, const Folding<Wide>& folding,
          Wide* totals, const Change& change) {
  for (int64_t i = 0; i < axes.kept; ++i) totals[i] = folding.start;
  if (axes.kept == 0 || axes.reduced == 0) return;
  const int64_t width = width_of(data);
  const bool to_one = axes.is_reduced(0);
  if (is_unchanged<Change> && to_one && axes.rank <= 2 && axes.size[0] <= kShortRow)
    return fold_short_rows(data, axes, folding, totals);
  const auto fold_part = [&](int64_t at, const Wide* x, int64_t n) {
    if (to_one)
      totals[at] = folding.row(totals[at], x, n);
    else
      folding.columns(totals + at, x, n);
  };
  if (is_unchanged<Change> && data.dtype == datum_type_of<Wide>)
    return for_each_row(axes, [&](int64_t from, int64_t to) {
      fold_part(to, data.as<Wide>() + from, axes.size[0]);
    });
  if constexpr (kWidens<Wide>)
    for_each_row(axes, [&](int64_t from, int64_t to) {
      Wide block[kBlock];
      for (int64_t i = 0; i < axes.size[0]; i += kBlock) {
        const int64_t n = std::min(kBlock, axes.size[0] - i), at = to_one ? to : to + i;
        widen(data.data + (from + i) * width, data.dtype, block, n);
        change(block, n, at);
        fold_part(at, block, n);
      }
    });
}

double finished(Reduction op, double total, int64_t count) {
  if (op == Reduction::mean) return total / static_cast<double>(count);
  if (op == Reduction::l2) return std::sqrt(total);
  return op == Reduction::log_sum ? std::log(total) : total;
}
template <class Integer>
Integer finished(Reduction op, Integer total, int64_t count) {
  if (op != Reduction::mean) return total;
  return count == 0 ? 0 : total / static_cast<Integer>(count);
}

template <class Wide>
void write(const ReduceKernel& op, const MutableTensorView& out, const Wide* totals,
           const ReducedAxes& axes) {
  const bool of_nothing = axes.reduced == 0;
  visit_numbers<Wide>(out.dtype, [&]<class T>(TypeTag<T>) {
    T* to = out.as<T>();
    for (int64_t i = 0; i < axes.kept; ++i) {
      to[i] = narrowed<T>(finished(op.op, totals[i], axes.reduced));
      if constexpr (std::is_integral_v<T>) {
        using Ends = std::numeric_limits<T>;
        if (of_nothing && op.op == Reduction::max) to[i] = Ends::min();
        if (of_nothing && op.op == Reduction::min) to[i] = Ends::max();
      }
    }
  });
}

template <class Wide>
void reduce(const ReduceKernel& op, const KernelIo& io, const ReducedAxes& axes) {
  Wide* totals = reinterpret_cast<Wide*>(io.scratch);
  fold(io.inputs[0], axes, folding<Wide>(op.op), totals, kUnchanged);
  write(op, io.outputs[0], totals, axes);
}

/// log(sum(exp(x))) by way of the greatest x, which no exp then exceeds.
void reduce_log_sum_exp(const ReduceKernel& op, const KernelIo& io, const ReducedAxes& axes) {
  double* tops = reinterpret_cast<double*>(io.scratch);
  double* sums = tops + axes.kept;
  const bool to_one = axes.is_reduced(0);
  fold(io.inputs[0], axes, folding<double>(Reduction::max), tops, kUnchanged);
  fold(io.inputs[0], axes, folding<double>(Reduction::sum), sums,
       [&](double* x, int64_t n, int64_t at) {
         for (int64_t i = 0; i < n; ++i) x[i] = std::exp(x[i] - tops[to_one ? at : at + i]);
       });
  for (int64_t i = 0; i < axes.kept; ++i)
    if (std::isfinite(tops[i])) tops[i] += std::log(sums[i]);
  write(op, io.outputs[0], tops, axes);
}

std::optional<kernels::Reduction> kernel_of(Reduction op) {
  switch (op) {
    case Reduction::sum:
      return kernels::Reduction::sum;
    case Reduction::mean:
      return kernels::Reduction::mean;
    case Reduction::max:
      return kernels::Reduction::max;
    case Reduction::min:
      return kernels::Reduction::min;
    case Reduction::l1:
      return kernels::Reduction::l1;
    case Reduction::l2:
      return kernels::Reduction::l2;
    case Reduction::sum_square:
      return kernels::Reduction::sum_square;
    case Reduction::log_sum:
      return kernels::Reduction::log_sum;
    case Reduction::log_sum_exp:
      return kernels::Reduction::log_sum_exp;
    case Reduction::prod:
      break;  // may leave the range of float on its way
  }
  return std::nullopt;
}

/// Whether the only reduced axis is the innermost, or the one before it.
bool is_one_axis(const ReducedAxes& axes) {
  return axes.reduced > 0 &&
         (axes.is_reduced(0) ? axes.rank <= 2
                             : axes.rank >= 2 && axes.rank <= 3 && axes.is_reduced(1));
}

void reduce_rows(const kernels::KernelTable& table, kernels::Reduction kind, const KernelIo& io,
                 const ReducedAxes& by) {
  const float* x = io.inputs[0].as<float>();
  float* y = io.outputs[0].as<float>();
  share_range(io, work_on(by.kept * by.reduced, 1), by.kept, 1, [&](kernels::Range rows) {
    table.reduce(kind, x + rows.begin * by.reduced, y + rows.begin, rows.end - rows.begin,
                 by.reduced);
  });
}

void reduce_columns(const kernels::KernelTable& table, kernels::Reduction kind, const KernelIo& io,
                    const ReducedAxes& by) {
  const int64_t columns = by.size[0], rows = by.size[1], outer = by.rank == 3 ? by.size[2] : 1;
  const float* x = io.inputs[0].as<float>();
  float* y = io.outputs[0].as<float>();
  const WorkSize work = work_on(outer * rows * columns, 1);
  share_rows(io, work, outer, columns, [&](int64_t o, kernels::Range part) {
    table.reduce_columns(kind, {x + o * rows * columns + part.begin, columns, 1},
                         y + o * columns + part.begin, rows, part.end - part.begin);
  });
}

/// Axes in runs of neighbours, the last run first, each from its last axis on. Those known to be 1
/// are in any run, and part none.
std::vector<std::vector<int64_t>> neighbours(const std::vector<int64_t>& axes,
                                             const ShapeFact& shape) {
  std::vector<bool> along(shape.rank());
  for (const int64_t axis : axes) along[axis_from_start(axis, shape.rank())] = true;
  std::vector<std::vector<int64_t>> runs;
  bool has_run = false, is_parted = false;  // as far as axes count
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const bool counts = shape[axis] != Dim(1);
    if (along[axis] && (runs.empty() || (counts && is_parted))) runs.emplace_back();
    if (along[axis]) runs.back().push_back(static_cast<int64_t>(axis));
    if (!counts) continue;
    has_run = has_run || along[axis];
    is_parted = has_run && !along[axis];
  }
  return runs;
}

/// What is done along one run of axes after the other, so that `op` comes of it.
Reduction step_of(Reduction op, bool is_first, bool is_last) {
  const bool is_sum =
      op == Reduction::sum_square ? !is_first : op == Reduction::log_sum && !is_last;
  return is_sum ? Reduction::sum : op;
}

/// Integers go through real numbers there.
bool needs_reals(Reduction op) {
  return op == Reduction::l2 || op == Reduction::log_sum || op == Reduction::log_sum_exp;
}

/// Scratch memory for one number of the output.
int64_t total_bytes(Reduction op) {
  return static_cast<int64_t>(sizeof(double)) * (op == Reduction::log_sum_exp ? 2 : 1);
}

bool picks_one(Reduction op) { return op == Reduction::max || op == Reduction::min; }

void reduce_numbers(const ReduceKernel& op, const KernelIo& io, const ReducedAxes& by) {
  const DatumType type = io.inputs[0].dtype;
  if (op.op == Reduction::log_sum_exp) return reduce_log_sum_exp(op, io, by);
  if (type == DatumType::i32 && op.op != Reduction::mean) return reduce<std::int32_t>(op, io, by);
  if (type == DatumType::u8 && picks_one(op.op)) return reduce<std::uint8_t>(op, io, by);
  if (type == DatumType::i8 && picks_one(op.op)) return reduce<std::int8_t>(op, io, by);
  switch (kind_of(type)) {
    case NumberKind::real:
      return reduce<double>(op, io, by);
    case NumberKind::whole:
      return reduce<int64_t>(op, io, by);
    default:
      return reduce<std::uint64_t>(op, io, by);
  }
}

/// Number by number; threads share the outermost axis, if it is kept.
void share_numbers(const ReduceKernel& op, const KernelIo& io, const ReducedAxes& by) {
  const std::size_t outer = by.rank - 1;
  if (by.is_reduced(outer)) return reduce_numbers(op, io, by);
  const int64_t size = by.size[outer], step = by.out_step[outer], numbers = by.reduced * step;
  share_range(io, work_on(size * numbers, kNumberSteps), size, 1, [&](kernels::Range part) {
    ReducedAxes of_part = by;
    of_part.size[outer] = part.end - part.begin;
    of_part.kept = of_part.size[outer] * step;
    TensorView data = io.inputs[0];
    data.data += part.begin * numbers * width_of(data);
    MutableTensorView out = io.outputs[0];
    out.data += part.begin * step * width_of(out.dtype);
    std::byte* const scratch = io.scratch + part.begin * step * total_bytes(op.op);
    reduce_numbers(op, {.inputs = {&data, 1}, .outputs = {&out, 1}, .scratch = scratch}, of_part);
  });
}

}  // namespace

FactList ReduceKernel::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const Fact given = Fact::of(Tensor::vector<int64_t>(axes));
  const Fact* operands[] = {&in[0], &given};
  return Reduce{op, keep_dims, no_axes}.output_facts(Facts(operands));
}

std::size_t ReduceKernel::scratch_bytes(Facts in) const {
  const std::int64_t kept = axes_of(*in[0].shape.concrete(), *this).kept;
  return static_cast<std::size_t>(kept * total_bytes(op));
}

std::string ReduceKernel::explain(Facts in, Facts) const {
  const auto shape = in[0].shape.concrete();
  if (!shape || in[0].dtype != DatumType::f32 || !kernel_of(op))
    return "reduction, number by number";
  const ReducedAxes by = axes_of(*shape, *this);
  if (!is_one_axis(by)) return "reduction, number by number: its axes do not lie side by side";
  const bool along_rows = by.is_reduced(0);
  if (along_rows && kernels::kernels(isa).turns_rows(kernels::RowWork::fold, by.kept, by.reduced))
    return explain_turned("reduction", isa);
  return explain_axis("reduction", isa, along_rows ? 1 : by.size[0]);
}

void ReduceKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const ReducedAxes by = axes_of(data.shape, *this);
  if (by.kept == 0) return;
  const auto kind = kernel_of(op);
  if (kind && data.dtype == DatumType::f32 && is_one_axis(by)) {
    const kernels::KernelTable& table = kernels::kernels(isa);
    return by.is_reduced(0) ? reduce_rows(table, *kind, io, by)
                            : reduce_columns(table, *kind, io, by);
  }
  share_numbers(*this, io, by);
}

/// Reduce along constant axes -> ReduceKernel; of f32, one for each run of neighbours among the
/// axes
Rewrite lower_reduce(const NodeView& node, const Target& target) {
  const Reduce* reduce = node.op().as<Reduce>();
  if (!reduce || !moves_bytes(node) || !is_known_index(node, 1)) return no_change;
  const NumberKind kind = kind_of(node.input_fact(0).dtype);
  if (!has_computed_numbers(node.input_fact(0).dtype) ||
      (kind != NumberKind::real && needs_reals(reduce->op)))
    return no_change;
  std::vector<int64_t> axes;
  if (node.inputs().size() > 1) {
    const Shape given = to_integers(*node.input_fact(1).constant());
    axes.assign(given.begin(), given.end());
  }
  ReduceKernel kernel{reduce->op, axes, reduce->keep_dims, reduce->no_axes, target.isa};
  const Fact& x = node.input_fact(0);
  const auto runs = is_f32(x) && kernel_of(reduce->op) && x.shape.is_known()
                        ? neighbours(axes, x.shape)
                        : std::vector<std::vector<int64_t>>{};
  if (runs.size() < 2) return replace(node, kernel, {node.input(0)});
  Patch patch(node);
  OutletId part = node.input(0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    kernel.axes = runs[i];  // those of later runs are in front, and keep their numbers
    kernel.op = step_of(reduce->op, i == 0, i + 1 == runs.size());
    part = patch.wire_one("part", kernel, {part});
  }
  patch.shunt(node.output(), part);
  return patch;
}

}  // namespace strata
