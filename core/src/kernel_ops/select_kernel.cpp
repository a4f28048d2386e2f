#include "kernel_ops/select_kernel.h"

#include <complex>

#include "kernel_ops/broadcast.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

/// Steps are 1, or 0 for one value all along the row.
struct Row {
  const bool* condition;
  std::int64_t condition_step;
  std::int64_t a_step;
  std::int64_t b_step;
  std::int64_t n;
};

template <std::int64_t a_step, std::int64_t b_step, class T>
void select_each(const Row& row, const T* a, const T* b, T* y) {
  // By masks: which are chosen may be hard to foresee.
  if constexpr (std::is_integral_v<T>) {
    for (std::int64_t i = 0; i < row.n; ++i) {
      const T x = a[i * a_step], other = b[i * b_step];
      const T mask = static_cast<T>(-static_cast<T>(row.condition[i]));
      y[i] = static_cast<T>(other ^ ((x ^ other) & mask));
    }
  } else {
    for (std::int64_t i = 0; i < row.n; ++i)
      y[i] = row.condition[i] ? a[i * a_step] : b[i * b_step];
  }
}

template <class T>
void select_row(const kernels::KernelTable& table, const Row& row, const T* a, const T* b, T* y) {
  if (row.condition_step == 0) {
    const T* from = *row.condition ? a : b;
    const bool is_row = (*row.condition ? row.a_step : row.b_step) == 1;
    if (is_row && from != y)
      std::copy_n(from, row.n, y);
    else if (!is_row)
      std::fill_n(y, row.n, *from);
  } else if constexpr (std::is_same_v<T, float>) {
    table.select({.n = row.n,
                  .condition = row.condition,
                  .a = a,
                  .a_step = row.a_step,
                  .b = b,
                  .b_step = row.b_step,
                  .y = y});
  } else if (row.a_step == 1) {
    row.b_step == 1 ? select_each<1, 1>(row, a, b, y) : select_each<1, 0>(row, a, b, y);
  } else {
    row.b_step == 1 ? select_each<0, 1>(row, a, b, y) : select_each<0, 0>(row, a, b, y);
  }
}

template <class T>
void select(const kernels::KernelTable& table, const KernelIo& io, const Broadcast<3>& axes) {
  const bool* condition = io.inputs[0].as<bool>();
  const T *a = io.inputs[1].as<T>(), *b = io.inputs[2].as<T>();
  T* y = io.outputs[0].as<T>();
  const std::int64_t n = axes.size[0], rows = axes.rank > 1 ? axes.size[1] : 1;
  const auto& step = axes.step;
  const auto outer = [&](std::size_t k) { return axes.rank > 1 ? step[k][1] : 0; };
  const WorkSize own = axes.rank > 2 ? WorkSize{} : work_on(volume(io.outputs[0].shape), 3);
  axes.for_each_row(2, [&](const std::array<std::int64_t, 3>& offset) {
    const auto choose = [&](std::int64_t at_row, kernels::Range part) {
      const auto at = [&](std::size_t k) {
        return offset[k] + at_row * outer(k) + part.begin * step[k][0];
      };
      const Row row{condition + at(0), step[0][0], step[1][0], step[2][0], part.end - part.begin};
      select_row(table, row, a + at(1), b + at(2), y + at_row * n + part.begin);
    };
    if (rows == 1)
      share_range(io, own, n, kElementStep, [&](kernels::Range part) { choose(0, part); });
    else
      share_range(io, own, rows, 1, [&](kernels::Range part) {
        for (std::int64_t row = part.begin; row < part.end; ++row) choose(row, {0, n});
      });
    y += rows * n;
  });
}

/// Whether an operand is surely smaller than the output.
bool stretches(const ShapeFact& operand, const ShapeFact& out) {
  const std::size_t more = out.rank() - operand.rank();
  for (std::size_t i = 0; i < operand.rank(); ++i)
    if (operand[i] == Dim(1) && out[more + i] != Dim(1)) return true;
  return more > 0;
}

}  // namespace

FactList SelectKernel::output_facts(Facts in) const { return Select{}.output_facts(in); }

void SelectKernel::run(const KernelIo& io) const {
  const Broadcast<3> axes(io);
  if (axes.is_empty()) return;
  const kernels::KernelTable& table = kernels::kernels(isa);
  // The table's function moves elements of 32 bits as floats, whatever they are.
  if (width_of(io.inputs[1]) == sizeof(float)) return select<float>(table, io, axes);
  visit_width(io.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (sizeof(T) != sizeof(float)) select<T>(table, io, axes);
  });
}

std::string SelectKernel::explain(Facts in, Facts) const {
  return bit_width(in[1].dtype) == 32 ? explain_vectors("choice of elements", isa)
                                      : "choice of elements, one by one";
}

/// Select -> SelectKernel
Rewrite lower_select(const NodeView& node, const Target& target) {
  if (!node.op().as<Select>() || !moves_bytes(node)) return no_change;
  const bool overwrites_b = stretches(node.input_fact(1).shape, node.output_fact().shape);
  return replace(node, SelectKernel{overwrites_b ? 2 : 1, target.isa}, node.inputs());
}

}  // namespace strata
