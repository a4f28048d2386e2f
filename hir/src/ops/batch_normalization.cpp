#include "strata/hir/ops/batch_normalization.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"

namespace strata::hir {
namespace {

struct Moments {
  OutletId mean;
  OutletId variance;
};

/// All axes but that of the channels.
OutletId batch_axes(Builder& b, OutletId x) {
  if (b.rank(x) && *b.rank(x) <= 2) return b.integers({0});
  return b.one(strata::Concat{0}, {b.integers({0}), axes_from(b, x, 2)});
}

/// The moments over `axes`, which are dropped, computed in `type`.
Moments batch_moments(Builder& b, OutletId x, OutletId axes, DatumType type) {
  const OutletId wide = cast_to(b, x, type);
  const OutletId centred = binary(b, BinaryOp::sub, wide, reduce(b, Reduction::mean, wide, axes));
  const strata::Reduce mean{Reduction::mean, false, NoAxes::means_none};
  return {b.one(mean, {wide, axes}), b.one(mean, {unary(b, UnaryOp::square, centred), axes})};
}

/// old * momentum + now * (1 - momentum)
OutletId running(Builder& b, OutletId old, OutletId now, double momentum) {
  return binary(b, BinaryOp::add, binary(b, BinaryOp::mul, old, momentum),
                binary(b, BinaryOp::mul, now, 1 - momentum));
}

}  // namespace

void BatchNormalization::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
  for (std::size_t i = 2; i < 5; ++i)
    r.require(r.input(i, "parameter").shape == r.input(1, "scale").shape);
  for (std::size_t i = 1; i < r.output_count(); ++i)
    r.require(r.output(i, "statistic").shape == r.input(1, "scale").shape);
  if (unit == BatchUnit::channel && r.input(0, "X").rank.known().value_or(0) >= 2)
    r.require(r.input(1, "scale").shape[0] == r.input(0, "X").shape[1]);
}

/// y = x * factor + (bias - mean * factor) where factor = scale / sqrt(variance + epsilon)
OutletIds BatchNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = in[0];
  const DatumType type = b.fact(in[3]).dtype;  // of the statistics, the most precise one
  Moments moments{in[3], in[4]};
  OutletIds statistics_out;
  if (statistics == BatchStatistics::of_batch) {
    moments =
        batch_moments(b, x, unit == BatchUnit::channel ? batch_axes(b, x) : b.integers({0}), type);
    statistics_out = {running(b, in[3], moments.mean, momentum),
                      running(b, in[4], moments.variance, momentum), moments.mean,
                      moments.variance};
  }
  const OutletId deviation =
      unary(b, UnaryOp::sqrt, binary(b, BinaryOp::add, moments.variance, epsilon));
  const OutletId factor = binary(b, BinaryOp::div, cast_to(b, in[1], type), deviation);
  const OutletId shift = binary(b, BinaryOp::sub, cast_to(b, in[2], type),
                                binary(b, BinaryOp::mul, moments.mean, factor));
  const auto laid_out = [&](OutletId wire) {
    const bool stretches = unit == BatchUnit::channel && b.rank(x) != 1;
    return stretches ? per_channel(b, wire, x) : wire;
  };
  const OutletId wide = cast_to(b, x, type);
  const OutletId y =
      binary(b, BinaryOp::add, binary(b, BinaryOp::mul, wide, laid_out(factor)), laid_out(shift));
  OutletIds out{cast_to(b, y, b.fact(x).dtype)};
  out.insert(out.end(), statistics_out.begin(), statistics_out.end());
  return out;
}

}  // namespace strata::hir
