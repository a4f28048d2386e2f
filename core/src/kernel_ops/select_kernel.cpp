#include "kernel_ops/select_kernel.h"

#include "kernel_ops/broadcast.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "kernel_ops/short_rows.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

/// Steps are 1, or 0 for one value all along the row.
struct Row {
  const std::uint8_t* condition;  ///< 0 or 1: the vectoriser takes no bools
  std::int64_t condition_step;
  std::int64_t a_step;
  std::int64_t b_step;
  std::int64_t n;
};

/// y = a where the condition is not `other`, else b, which may be one number; a may be y.
template <std::int64_t b_step, class T>
void select_each(Row row, std::uint8_t other, const T* a, const T* b, T* y) {
  // By masks: which are chosen may be hard to foresee.
  if constexpr (std::is_integral_v<T>) {
    for (std::int64_t i = 0; i < row.n; ++i) {
      const T x = a[i], z = b[i * b_step];
      const T mask = static_cast<T>(-static_cast<T>(row.condition[i] ^ other));
      y[i] = static_cast<T>(z ^ ((x ^ z) & mask));
    }
  } else {
    for (std::int64_t i = 0; i < row.n; ++i)
      y[i] = row.condition[i] != other ? a[i] : b[i * b_step];
  }
}

/// Chooses elements as wide as T.
template <class T>
void select_as(const kernels::KernelTable& table, Row row, const std::byte* a_bytes,
               const std::byte* b_bytes, std::byte* y_bytes) {
  const T *a = reinterpret_cast<const T*>(a_bytes), *b = reinterpret_cast<const T*>(b_bytes);
  T* y = reinterpret_cast<T*>(y_bytes);
  if (row.condition_step == 0) {
    const T* from = *row.condition != 0 ? a : b;
    const bool is_row = (*row.condition != 0 ? row.a_step : row.b_step) == 1;
    if (is_row && from != y)
      std::copy_n(from, row.n, y);
    else if (!is_row)
      std::fill_n(y, row.n, *from);
  } else if constexpr (std::is_same_v<T, float>) {
    table.select({.n = row.n,
                  .condition = reinterpret_cast<const bool*>(row.condition),
                  .a = a,
                  .a_step = row.a_step,
                  .b = b,
                  .b_step = row.b_step,
                  .y = y});
  } else if (row.a_step == 1 && row.b_step == 1) {
    select_each<1>(row, 0, a, b, y);
  } else {
    const bool is_b_row = row.b_step == 1;
    const T one = is_b_row ? *a : *b;
    const T* each = is_b_row ? b : a;
    if (row.a_step == row.b_step) {  // of two numbers, one becomes a row
      std::fill_n(y, row.n, *a);
      each = y;
    }
    select_each<0>(row, is_b_row, each, &one, y);
  }
}

using SelectRow = void (*)(const kernels::KernelTable&, Row, const std::byte*, const std::byte*,
                           std::byte*);

/// The table's function moves elements of 32 bits as floats, whatever they are.
SelectRow select_row_of(DatumType type) {
  SelectRow out = select_as<float>;
  visit_width(type, [&]<class T>(TypeTag<T>) {
    if constexpr (sizeof(T) != sizeof(float)) out = select_as<T>;
  });
  return out;
}

void select(const kernels::KernelTable& table, const KernelIo& io, const Broadcast<3>& axes) {
  const SelectRow select_row = select_row_of(io.outputs[0].dtype);
  const std::int64_t width = width_of(io.inputs[1]);
  const auto* condition = reinterpret_cast<const std::uint8_t*>(io.inputs[0].as<bool>());
  std::byte* y = io.outputs[0].data;
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
      select_row(table, row, io.inputs[1].data + at(1) * width, io.inputs[2].data + at(2) * width,
                 y + (at_row * n + part.begin) * width);
    };
    share_rows(io, own, rows, n, choose);
    y += rows * n * width;
  });
}

void select_short_rows(const kernels::KernelTable& table, const KernelIo& io,
                       const Broadcast<3>& axes) {
  const SelectRow select_row = select_row_of(io.outputs[0].dtype);
  const std::int64_t n = axes.size[0], width = width_of(io.inputs[1]);
  ShortRows condition(axes, 0, io.inputs[0]), a(axes, 1, io.inputs[1]), b(axes, 2, io.inputs[2]);
  ShortRows::for_each_block(
      axes.size[1], n, static_cast<std::size_t>(width),
      [&](std::int64_t first, std::int64_t count) {
        const auto* c = reinterpret_cast<const std::uint8_t*>(condition.read(first, count));
        select_row(table, {c, 1, 1, 1, count * n}, a.read(first, count), b.read(first, count),
                   io.outputs[0].data + first * n * width);
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
  // A row that one condition chooses is copied as a whole.
  const bool chooses_rows = axes.step[0][0] == 0 && axes.size[0] >= kShortRow / 2;
  if (has_short_rows(axes) && !chooses_rows)
    select_short_rows(kernels::kernels(isa), io, axes);
  else
    select(kernels::kernels(isa), io, axes);
}

std::string SelectKernel::explain(Facts in, Facts) const {
  return bit_width(in[1].dtype) == 32 ? explain_vectors("choice of elements", isa)
                                      : "choice of elements, by a loop for their width";
}

/// Select -> SelectKernel
Rewrite lower_select(const NodeView& node, const Target& target) {
  if (!node.op().as<Select>() || !moves_bytes(node)) return no_change;
  const bool overwrites_b = stretches(node.input_fact(1).shape, node.output_fact().shape);
  return replace(node, SelectKernel{overwrites_b ? 2 : 1, target.isa}, node.inputs());
}

}  // namespace strata
