#include "kernel_ops/numeric_unary_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_ops/computed_numbers.h"
#include "kernel_ops/double_rows.h"
#include "kernel_ops/integer_row.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/unary_rows.h"

namespace strata {
namespace {

void map(const KernelIo& io, double (*function)(double)) {
  constexpr double kCall = 400;  // what vectors do in the time of one
  const TensorView& in = io.inputs[0];
  const std::int64_t size = volume(in.shape);
  share_range(io, work_on(size, kCall), size, kElementStep, [&](kernels::Range part) {
    visit_computed<double>(in.dtype, [&]<class T>(TypeTag<T>) {
      const T* x = in.as<T>();
      std::transform(x + part.begin, x + part.end, io.outputs[0].as<T>() + part.begin,
                     [&](T value) { return narrowed<T>(function(widened(value))); });
    });
  });
}

/// The most common of these functions, without a call for each element.
void invert(const KernelIo& io) {
  const auto* x = io.inputs[0].as<std::uint8_t>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t count = volume(io.inputs[0].shape);
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] ^ 1;
}

template <class T>
void test_floats(UnaryOp op, const KernelIo& io) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T* x = io.inputs[0].as<T>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t count = volume(io.inputs[0].shape);
  if (op == UnaryOp::is_nan)
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] != x[i];
  else
    for (std::int64_t i = 0; i < count; ++i) y[i] = std::fabs(x[i]) == kInfinity;
}

/// Floats of 16 bits, by what is left of their bits without the sign.
void test_narrow(UnaryOp op, const KernelIo& io, std::int16_t infinity) {
  const auto* x = io.inputs[0].as<std::int16_t>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t count = volume(io.inputs[0].shape);
  const auto magnitude = [&](std::int64_t i) { return static_cast<std::int16_t>(x[i] & 0x7fff); };
  if (op == UnaryOp::is_nan)
    for (std::int64_t i = 0; i < count; ++i) y[i] = magnitude(i) > infinity;
  else
    for (std::int64_t i = 0; i < count; ++i) y[i] = magnitude(i) == infinity;
}

/// Whether each number is NaN, or infinite.
void test(UnaryOp op, const KernelIo& io) {
  const DatumType type = io.inputs[0].dtype;
  if (type == DatumType::f32) return test_floats<float>(op, io);
  if (type == DatumType::f64) return test_floats<double>(op, io);
  test_narrow(op, io, type == DatumType::f16 ? 0x7c00 : 0x7f80);
}

void map_integers(UnaryOp op, const KernelIo& io) {
  const TensorView& in = io.inputs[0];
  const std::int64_t size = volume(in.shape), width = width_of(in);
  share_range(io, work_on(size, 1), size, kElementStep, [&](kernels::Range part) {
    IntegerRow row(op, in.dtype, part.end - part.begin);
    for (std::int64_t i = part.begin; i < part.end; i += row.most())
      row(in.data + i * width, io.outputs[0].data + i * width, std::min(row.most(), part.end - i));
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
  if (op == UnaryOp::is_nan || op == UnaryOp::is_inf) return test(op, io);
  if (is_integer(type)) return map_integers(op, io);
  const DoubleRow of_doubles = type == DatumType::f64 ? double_row(op) : nullptr;
  if (of_doubles) return map_doubles(io, of_doubles);
  map(io, unary_row(op).real);
}

/// Unary on numbers or bool -> NumericUnaryKernel
Rewrite lower_numeric_unary(const NodeView& node, const Target&) {
  const Unary* unary = node.op().as<Unary>();
  if (!unary || !moves_bytes(node) || !has_computed_numbers(node.input_fact(0).dtype))
    return no_change;
  return replace(node, NumericUnaryKernel{unary->op}, node.inputs());
}

}  // namespace strata
