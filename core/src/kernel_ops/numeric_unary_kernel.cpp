#include "kernel_ops/numeric_unary_kernel.h"

#include <cmath>

#include "kernel_ops/movement.h"
#include "ops/number_kinds.h"
#include "ops/unary_rows.h"

namespace strata {
namespace {

template <class Wide>
void map(const KernelIo& io, Wide (*function)(Wide)) {
  const TensorView& in = io.inputs[0];
  visit_kind<Wide>(in.dtype, [&]<class T>(TypeTag<T>) {
    const T* x = in.as<T>();
    std::transform(x, x + volume(in.shape), io.outputs[0].as<T>(),
                   [&](T value) { return narrowed<T>(function(widened(value))); });
  });
}

void test(const KernelIo& io, bool (*holds)(double)) {
  const TensorView& in = io.inputs[0];
  visit_kind<double>(in.dtype, [&]<class T>(TypeTag<T>) {
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

}  // namespace

void NumericUnaryKernel::run(const KernelIo& io) const {
  if (op == UnaryOp::truth_not) return invert(io);
  const DatumType type = io.inputs[0].dtype;
  if (type == DatumType::f32 && op == UnaryOp::is_nan)
    return test_floats(io, [](float x) { return x != x; });
  if (type == DatumType::f32 && op == UnaryOp::is_inf)
    return test_floats(io, [](float x) { return std::fabs(x) == HUGE_VALF; });
  const UnaryRow& row = unary_row(op);
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
  if (!unary || !moves_bytes(node) || kind_of(node.input_fact(0).dtype) == NumberKind::none)
    return no_change;
  return replace(node, NumericUnaryKernel{unary->op}, node.inputs());
}

}  // namespace strata
