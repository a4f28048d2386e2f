#include "kernel_ops/numeric_binary_kernel.h"

#include "kernel_ops/broadcast.h"
#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/number_rows.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "kernel_ops/short_rows.h"
#include "ops/binary_rows.h"

namespace strata {
namespace {

/// One row of operands; a step is 1, or 0 for one number all along the row.
struct Row {
  const std::byte* a;
  std::int64_t a_step;
  const std::byte* b;
  std::int64_t b_step;
  std::byte* y;
  std::int64_t n;
};

template <class T, class Out, class Function>
void map(const Row& row, const Function& function) {
  const T* a = reinterpret_cast<const T*>(row.a);
  const T* b = reinterpret_cast<const T*>(row.b);
  Out* y = reinterpret_cast<Out*>(row.y);
  for (std::int64_t i = 0; i < row.n; ++i) y[i] = function(a[i * row.a_step], b[i * row.b_step]);
}

template <class Wide>
void map_row(const Row& row, DatumType type, Wide (*function)(Wide, Wide)) {
  visit_computed<Wide>(type, [&]<class T>(TypeTag<T>) {
    map<T, T>(row, [&](T a, T b) { return narrowed<T>(function(widened(a), widened(b))); });
  });
}

/// Floats alone: comparisons of all other types have loops made for them.
void compare_row(const Row& row, DatumType type, bool (*compare)(std::partial_ordering)) {
  visit_computed<double>(type, [&]<class T>(TypeTag<T>) {
    map<T, bool>(row, [&](T a, T b) { return compare(widened(a) <=> widened(b)); });
  });
}

/// As `eval` does it.
void run_plain(const Row& row, DatumType type, const BinaryRow& f) {
  if (f.compare) return compare_row(row, type, f.compare);
  switch (kind_of(type)) {
    case NumberKind::real:
      return map_row(row, type, f.real);
    case NumberKind::whole:
      return map_row(row, type, f.whole);
    case NumberKind::natural:
      return map_row(row, type, f.natural);
    default:
      return map_row(row, type, f.truth);
  }
}

/// By blocks, those of a number that is the same all along the row filled once.
void run_fast(const Row& row, std::size_t width, std::size_t out_width, FastRow fast) {
  if (row.a_step == 1 && row.b_step == 1)
    return fast.takes_swapped ? fast.row(row.b, row.a, row.y, row.n)
                              : fast.row(row.a, row.b, row.y, row.n);
  constexpr std::size_t kBytes = 4096;
  alignas(16) std::byte same[2][kBytes];
  const auto block = std::min<std::int64_t>(row.n, static_cast<std::int64_t>(kBytes / width));
  if (row.a_step == 0) fill(same[0], row.a, width, block);
  if (row.b_step == 0) fill(same[1], row.b, width, block);
  for (std::int64_t i = 0; i < row.n; i += block) {
    const auto offset = static_cast<std::size_t>(i);
    const std::byte* a = row.a_step == 0 ? same[0] : row.a + offset * width;
    const std::byte* b = row.b_step == 0 ? same[1] : row.b + offset * width;
    if (fast.takes_swapped) std::swap(a, b);
    fast.row(a, b, row.y + offset * out_width, std::min(block, row.n - i));
  }
}

template <class T>
bool has_0(const std::byte* data, std::int64_t count) {
  const T* x = reinterpret_cast<const T*>(data);
  return std::find(x, x + count, T{}) != x + count;
}

/// Whether a row divides integers of 32 or 64 bits by 0, which only the plain loop can refuse.
bool divides_by_0(const Row& row, BinaryOp op, DatumType type) {
  if (is_float(type) || (op != BinaryOp::div && op != BinaryOp::mod)) return false;
  const std::int64_t divisors = row.b_step == 0 ? std::min<std::int64_t>(row.n, 1) : row.n;
  return type == DatumType::i32 ? has_0<std::int32_t>(row.b, divisors)
                                : has_0<std::int64_t>(row.b, divisors);
}

}  // namespace

std::optional<std::size_t> NumericBinaryKernel::in_place_input() const {
  return binary_row(op).compare ? std::nullopt : std::optional<std::size_t>(0);
}

void NumericBinaryKernel::run(const KernelIo& io) const {
  const Broadcast<2> axes(io);
  if (axes.is_empty()) return;
  const TensorView &a = io.inputs[0], &b = io.inputs[1];
  const MutableTensorView& out = io.outputs[0];
  const auto width = width_of(a);
  const auto out_width = static_cast<std::int64_t>(bit_width(out.dtype) / 8);
  const FastRow fast =
      binary_row(op).compare ? comparison_row(op, a.dtype, isa) : fast_row(op, a.dtype);
  const Row first{a.data, axes.step[0][0], b.data, axes.step[1][0], out.data, axes.size[0]};
  const auto run_row = [&](const Row& row) {
    if (fast.row && !divides_by_0(row, op, a.dtype))
      run_fast(row, static_cast<std::size_t>(width), static_cast<std::size_t>(out_width), fast);
    else
      run_plain(row, a.dtype, binary_row(op));
  };
  if (axes.rank == 1)
    return share_range(io, work_on(first.n, 1), first.n, kElementStep, [&](kernels::Range part) {
      Row row = first;
      row.a += part.begin * first.a_step * width;
      row.b += part.begin * first.b_step * width;
      row.y += part.begin * out_width;
      row.n = part.end - part.begin;
      run_row(row);
    });
  if (has_short_rows(axes)) {
    ShortRows of_a(axes, 0, a), of_b(axes, 1, b);
    const std::int64_t n = axes.size[0];
    return ShortRows::for_each_block(axes.size[1], n, static_cast<std::size_t>(width),
                                     [&](std::int64_t at, std::int64_t count) {
                                       run_row({of_a.read(at, count), 1, of_b.read(at, count), 1,
                                                out.data + at * n * out_width, count * n});
                                     });
  }
  Row row = first;
  axes.for_each_row(1, [&](const std::array<std::int64_t, 2>& offset) {
    row.a = a.data + offset[0] * width;
    row.b = b.data + offset[1] * width;
    run_row(row);
    row.y += row.n * out_width;
  });
}

/// Binary on numbers or bool -> NumericBinaryKernel
Rewrite lower_numeric_binary(const NodeView& node, const Target& target) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || !moves_bytes(node) || !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(node, NumericBinaryKernel{binary->op, target.isa}, node.inputs());
}

}  // namespace strata
