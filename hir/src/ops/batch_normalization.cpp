#include "strata/hir/ops/batch_normalization.h"

#include "broadcast_along.h"
#include "ops/arithmetic.h"
#include "strata/core/ops/concat.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kX, kScale, kBias, kMean, kVariance };

struct Moments {
  OutletId mean;
  OutletId variance;
};

/// All axes but that of the channels.
OutletId batch_axes(Builder& b, OutletId x) {
  if (b.rank(x) && *b.rank(x) <= 2) return b.integers({0});
  return b.one(strata::Concat{0}, {b.integers({0}), axes_from(b, x, 2)});
}

/// The moments over `axes`, which are dropped.
Moments batch_moments(Builder& b, OutletId x, OutletId axes) {
  const OutletId centred = sub(b, x, reduce(b, Reduction::mean, x, axes));
  const strata::Reduce mean{
      .op = Reduction::mean, .keep_dims = false, .no_axes = NoAxes::means_none};
  return {b.one(mean, {x, axes}), b.one(mean, {unary(b, UnaryOp::square, centred), axes})};
}

/// old * momentum + now * (1 - momentum), in the type of `now`.
OutletId running(Builder& b, OutletId old, OutletId now, double momentum) {
  old = cast_to(b, old, b.fact(now).dtype);
  return add(b, mul(b, old, momentum), mul(b, now, 1 - momentum));
}

}  // namespace

void BatchNormalization::rules(Rules& r) const {
  require_same_shape(r);
  require_same_dtype(r);
  const auto x = r.input(kX, "X"), scale = r.input(kScale, "scale");
  for (const std::size_t i : {kBias, kMean, kVariance})
    r.require(r.input(i, "parameter").shape == scale.shape);
  for (std::size_t i = 1; i < r.output_count(); ++i)
    r.require(r.output(i, "statistic").shape == scale.shape);
  if (unit != BatchUnit::channel) return;
  r.require(scale.rank == 1);
  if (const auto rank = x.rank.known())
    r.require(*rank < 2 ? scale.shape[0] == 1 : scale.shape[0] == x.shape[1]);
}

/// y = x * factor + (bias - mean * factor) where factor = scale / sqrt(variance + epsilon)
OutletIds BatchNormalization::wire(Builder& b, const OutletIds& in) const {
  const OutletId x = in[kX];
  const DatumType of_x = b.fact(x).dtype, of_statistics = b.fact(in[kMean]).dtype;
  const DatumType type =
      computing_type(bit_width(of_x) > bit_width(of_statistics) ? of_x : of_statistics);
  const auto wide = [&](OutletId wire) { return cast_to(b, wire, type); };
  const auto parameter = [&](std::size_t i) {
    return unit == BatchUnit::channel ? for_each_channel(b, in[i], x) : in[i];
  };
  const OutletId mean = parameter(kMean), variance = parameter(kVariance);
  Moments moments{wide(mean), wide(variance)};
  OutletIds statistics_out;
  if (statistics == BatchStatistics::of_batch) {
    moments =
        batch_moments(b, wide(x), unit == BatchUnit::channel ? batch_axes(b, x) : b.integers({0}));
    statistics_out = {running(b, mean, moments.mean, momentum),
                      running(b, variance, moments.variance, momentum), moments.mean,
                      moments.variance};
    for (OutletId& each : statistics_out) each = cast_to(b, each, of_statistics);
  }
  const OutletId deviation = unary(b, UnaryOp::sqrt, add(b, moments.variance, epsilon));
  const OutletId factor = div(b, wide(parameter(kScale)), deviation);
  const OutletId shift = sub(b, wide(parameter(kBias)), mul(b, moments.mean, factor));
  const auto laid_out = [&](OutletId wire) {
    return unit == BatchUnit::channel ? along_channels(b, wire, x) : wire;
  };
  const OutletId y = add(b, mul(b, wide(x), laid_out(factor)), laid_out(shift));
  OutletIds out{cast_to(b, y, of_x)};
  out.insert(out.end(), statistics_out.begin(), statistics_out.end());
  return out;
}

}  // namespace strata::hir
