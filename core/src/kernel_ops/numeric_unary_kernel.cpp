#include "kernel_ops/numeric_unary_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/double_rows.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/number_rows.h"
#include "kernel_ops/shared_work.h"
#include "ops/unary_rows.h"

namespace strata {
namespace {

template <class Wide>
void map(const KernelIo& io, Wide (*function)(Wide)) {
  const TensorView& in = io.inputs[0];
  visit_computed<Wide>(in.dtype, [&]<class T>(TypeTag<T>) {
    const T* x = in.as<T>();
    std::transform(x, x + volume(in.shape), io.outputs[0].as<T>(),
                   [&](T value) { return narrowed<T>(function(widened(value))); });
  });
}

void test(const KernelIo& io, bool (*holds)(double)) {
  const TensorView& in = io.inputs[0];
  visit_computed<double>(in.dtype, [&]<class T>(TypeTag<T>) {
    const T* x = in.as<T>();
    std::transform(x, x + volume(in.shape), io.outputs[0].as<bool>(),
                   [&](T value) { return holds(widened(value)); });
  });
}

/// The most common of these functions, without a call for each element.
void invert(const KernelIo& io) {
  const auto* x = io.inputs[0].as<std::uint8_t>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t count = volume(io.inputs[0].shape);
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] ^ 1;
}

template <class Holds>
void test_floats(const KernelIo& io, const Holds& holds) {
  const float* x = io.inputs[0].as<float>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t count = volume(io.inputs[0].shape);
  for (std::int64_t i = 0; i < count; ++i) y[i] = holds(x[i]);
}

/// -x, ~x or |x| of integers, by the loops made for functions of two: 0 - x, x with all bits turned,
/// and the greater of x and -x.
void map_integers(UnaryOp op, const KernelIo& io) {
  const TensorView& in = io.inputs[0];
  const bool is_abs = op == UnaryOp::abs, turns_bits = op == UnaryOp::bitwise_not;
  const NumberRow opposite = fast_row(turns_bits ? BinaryOp::bit_xor : BinaryOp::sub, in.dtype).row;
  const NumberRow greater = fast_row(BinaryOp::max, in.dtype).row;
  const std::int64_t size = volume(in.shape), width = width_of(in);
  share_range(io, work_on(size, 1), size, kElementStep, [&](kernels::Range part) {
    constexpr std::int64_t kBytes = 512;
    alignas(64) std::byte same[kBytes], made[kBytes];
    std::memset(same, turns_bits ? 0xFF : 0, kBytes);
    const std::int64_t block = kBytes / width;
    for (std::int64_t i = part.begin; i < part.end; i += block) {
      const std::int64_t n = std::min(block, part.end - i);
      const std::byte* x = in.data + i * width;
      std::byte* y = io.outputs[0].data + i * width;
      opposite(same, x, is_abs ? made : y, n);
      if (is_abs) greater(x, is_signed_integer(in.dtype) ? made : x, y, n);
    }
  });
}

void map_doubles(const KernelIo& io, DoubleRow row) {
  const double* x = io.inputs[0].as<double>();
  double* y = io.outputs[0].as<double>();
  const std::int64_t size = volume(io.inputs[0].shape);
  share_range(io, work_on(4 * size, 1), size, kElementStep, [&](kernels::Range part) {
    row(x + part.begin, y + part.begin, part.end - part.begin);
  });
}

}  // namespace

void NumericUnaryKernel::run(const KernelIo& io) const {
  if (op == UnaryOp::truth_not) return invert(io);
  const DatumType type = io.inputs[0].dtype;
  if (type == DatumType::f32 && op == UnaryOp::is_nan)
    return test_floats(io, [](float x) { return x != x; });
  if (type == DatumType::f32 && op == UnaryOp::is_inf)
    return test_floats(io, [](float x) { return std::fabs(x) == HUGE_VALF; });
  const bool is_row = op == UnaryOp::abs || op == UnaryOp::bitwise_not || op == UnaryOp::neg;
  if (is_row && is_integer(type)) return map_integers(op, io);
  const UnaryRow& row = unary_row(op);
  const DoubleRow of_doubles = type == DatumType::f64 ? double_row(op) : nullptr;
  if (of_doubles) return map_doubles(io, of_doubles);
  switch (kind_of(io.inputs[0].dtype)) {
    case NumberKind::real:
      return row.test ? test(io, row.test) : map(io, row.real);
    case NumberKind::whole:
      return map(io, row.whole);
    case NumberKind::natural:
      return map(io, row.natural);
    default:
      return map(io, row.truth);
  }
}

/// Unary on numbers or bool -> NumericUnaryKernel
Rewrite lower_numeric_unary(const NodeView& node, const Target&) {
  const Unary* unary = node.op().as<Unary>();
  if (!unary || !moves_bytes(node) || !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(node, NumericUnaryKernel{unary->op}, node.inputs());
}

}  // namespace strata
