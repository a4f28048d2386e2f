#include "kernel_ops/select_kernel.h"

#include <complex>

#include "kernel_ops/broadcast.h"
#include "kernel_ops/movement.h"
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
  for (std::int64_t i = 0; i < row.n; ++i) y[i] = row.condition[i] ? a[i * a_step] : b[i * b_step];
}

template <class T>
void select_row(const Row& row, const T* a, const T* b, T* y) {
  if (row.condition_step == 0) {
    const T* from = *row.condition ? a : b;
    if ((*row.condition ? row.a_step : row.b_step) == 1)
      std::copy_n(from, row.n, y);
    else
      std::fill_n(y, row.n, *from);
  } else if (row.a_step == 1) {
    row.b_step == 1 ? select_each<1, 1>(row, a, b, y) : select_each<1, 0>(row, a, b, y);
  } else {
    row.b_step == 1 ? select_each<0, 1>(row, a, b, y) : select_each<0, 0>(row, a, b, y);
  }
}

template <class T>
void select(const KernelIo& io, const Broadcast<3>& axes) {
  const bool* condition = io.inputs[0].as<bool>();
  const T *a = io.inputs[1].as<T>(), *b = io.inputs[2].as<T>();
  T* y = io.outputs[0].as<T>();
  axes.for_each_row(1, [&](const std::array<std::int64_t, 3>& offset) {
    const Row row{condition + offset[0], axes.step[0][0], axes.step[1][0], axes.step[2][0],
                  axes.size[0]};
    select_row(row, a + offset[1], b + offset[2], y);
    y += row.n;
  });
}

}  // namespace

FactList SelectKernel::output_facts(Facts in) const { return Select{}.output_facts(in); }

void SelectKernel::run(const KernelIo& io) const {
  const Broadcast<3> axes(io);
  if (axes.is_empty()) return;
  visit_storage(io.outputs[0].dtype, [&]<class T>(TypeTag<T>) { select<T>(io, axes); });
}

/// Select -> SelectKernel
Rewrite lower_select(const NodeView& node, const Target&) {
  if (!node.op().as<Select>() || !moves_bytes(node)) return no_change;
  return replace(node, SelectKernel{}, node.inputs());
}

}  // namespace strata
