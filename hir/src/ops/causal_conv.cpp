#include "strata/hir/ops/causal_conv.h"

#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/slice.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kX, kKernels, kBias, kPast };

/// The number of channels, from whichever operand has it. Throws: unsupported if none does.
std::int64_t channels(const Builder& b, const OutletIds& in) {
  const auto known = [&](std::size_t input, std::size_t axis) -> std::optional<std::int64_t> {
    if (!has(in, input)) return std::nullopt;
    const ShapeFact& shape = b.fact(in[input]).shape;
    if (shape.is_open() || shape.rank() <= axis) return std::nullopt;
    return shape[axis].constant();
  };
  for (const auto& count : {known(kX, 1), known(kKernels, 0), known(kBias, 0), known(kPast, 1)})
    if (count) return *count;
  fail(ErrorKind::unsupported, "the number of channels is not known");
}

}  // namespace

void CausalConv::rules(Rules& r) const {
  const auto x = r.input(kX, "input"), kernels = r.input(kKernels, "weight");
  require_same_shape(r);
  require_same_dtype(r);
  r.require(x.rank == 3);
  r.require(kernels.rank == 3);
  r.require(kernels.dtype == x.dtype);
  r.require(kernels.shape[0] == x.shape[1]);
  r.require(kernels.shape[1] == Dim(1));
  if (r.has_input(kBias)) {
    r.require(r.input(kBias, "bias").dtype == x.dtype);
    r.require(r.input(kBias, "bias").rank == 1);
    r.require(r.input(kBias, "bias").shape[0] == x.shape[1]);
  }
  if (r.has_input(kPast)) {
    const auto past = r.input(kPast, "past_state");
    r.require(past.dtype == x.dtype);
    r.require(past.rank == 3);
    r.require(past.shape[0] == x.shape[0]);
    r.require(past.shape[1] == x.shape[1]);
    if (r.output_count() > 1) r.require(r.output(1, "present_state").shape == past.shape);
  }
}

OutletIds CausalConv::wire(Builder& b, const OutletIds& in) const {
  const OutletId steps = b.integers({2});
  OutletId past = kAbsent;
  if (has(in, kPast)) {
    past = in[kPast];
  } else {
    const OutletId length = sub(b, size_of_axis(b, in[kKernels], 2), 1);
    const OutletId shape = b.one(strata::Concat{0}, {b.one(ShapeOf{0, 2}, {in[kX]}), length});
    past = b.one(Expand{}, {b.scalar(0, b.fact(in[kX]).dtype), shape});
  }
  const OutletId padded = b.one(strata::Concat{2}, {past, in[kX]});
  OutletIds operands{padded, in[kKernels]};
  if (has(in, kBias)) operands.push_back(in[kBias]);
  strata::Conv conv;
  conv.group = channels(b, in);
  OutletId y = b.one(conv, operands);
  if (activation == Activation::silu) y = unary(b, UnaryOp::silu, y);
  const OutletId present =
      b.one(strata::Slice{}, {padded, size_of_axis(b, in[kX], 2), b.integers({INT64_MAX}), steps});
  return {y, present};
}

}  // namespace strata::hir
