#include "kernel_ops/deform_columns.h"

#include <algorithm>
#include <limits>

#include "kernel_ops/shared_work.h"
#include "kernel_ops/weighted_picks.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"

namespace strata {
namespace {

using std::int64_t;

/// One tap of one group of channels that are moved alike, in one item.
struct MovedTap {
  int64_t item;
  int64_t group;
  int64_t tap;
};

/// The corners around a place, each the end of a path of sides along the axes.
class Corners {
 public:
  explicit Corners(double weight) : taps_{{0, weight}} {}

  /// Goes on along an axis of `size` elements: the new axis' neighbours lie side by side.
  void add_axis(double place, int64_t size) {
    const bool is_near = place > -1 && place < static_cast<double>(size);
    const int64_t after = is_near ? static_cast<int64_t>(place + 1) : 0;
    const double t = place + 1 - static_cast<double>(after);
    for (std::size_t i = count_; i-- > 0;) {
      const Tap from = taps_[i];
      const bool is_inside = is_near && from.index >= 0;
      taps_[2 * i] = {is_inside && after > 0 ? from.index * size + after - 1 : -1,
                      from.weight * (1 - t)};
      taps_[2 * i + 1] = {is_inside && after < size ? from.index * size + after : -1,
                          from.weight * t};
    }
    count_ *= 2;
  }
  const GridTaps::Tap* taps() const { return taps_; }

 private:
  using Tap = GridTaps::Tap;
  Tap taps_[std::size_t{1} << WeightedPicks::kMostAxes];
  std::size_t count_ = 1;
};

/// Finds where taps lie.
class MovedTaps {
 public:
  MovedTaps(const DeformColumns& op, const ConvGeometry& sizes, const KernelIo& io)
      : sizes_(sizes),
        groups_(op.offset_group),
        taps_(sizes.taps()),
        outputs_(sizes.out_positions()),
        offsets_(io.inputs[1].as<float>()),
        mask_(io.inputs.size() > 2 ? io.inputs[2].as<float>() : nullptr) {}

  int64_t count() const { return sizes_.batch * groups_ * taps_; }
  MovedTap operator[](int64_t i) const {
    return {i / taps_ / groups_, i / taps_ % groups_, i % taps_};
  }
  /// For each place.
  std::size_t corners() const { return std::size_t{1} << sizes_.axes.size(); }

  /// Sets the picks of `tap` at n outputs from `first` on.
  void find(const MovedTap& tap, int64_t first, int64_t n, WeightedPicks& picks) const {
    const std::size_t rank = sizes_.axes.size();
    const int64_t at = (tap.item * groups_ + tap.group) * taps_ + tap.tap;
    const float* offsets = offsets_ + at * static_cast<int64_t>(rank) * outputs_ + first;
    const float* mask = mask_ ? mask_ + at * outputs_ + first : nullptr;
    int64_t index[WeightedPicks::kMostAxes], start[WeightedPicks::kMostAxes];
    int64_t output = first, in_kernel = tap.tap;
    for (std::size_t a = rank; a-- > 0;) {
      const AxisWindow& axis = sizes_.axes[a];
      index[a] = output % axis.out, output /= axis.out;
      start[a] = in_kernel % axis.kernel * axis.dilation - axis.before, in_kernel /= axis.kernel;
    }
    for (int64_t i = 0; i < n; ++i) {
      Corners corners(mask ? mask[i] : 1);
      for (std::size_t a = 0; a < rank; ++a)
        corners.add_axis(static_cast<double>(start[a] + index[a] * sizes_.axes[a].stride) +
                             offsets[static_cast<int64_t>(a) * outputs_ + i],
                         sizes_.axes[a].in);
      picks.set(i, corners.taps());
      for (std::size_t a = rank; a-- > 0 && ++index[a] == sizes_.axes[a].out;) index[a] = 0;
    }
    picks.find_pairs(n);
  }

 private:
  const ConvGeometry& sizes_;
  int64_t groups_, taps_, outputs_;
  const float* offsets_;
  const float* mask_;  ///< null for ones
};

/// Whether the kernel takes such inputs; what is wrong with others is told when they run.
bool are_kernel_sizes(const DeformConv& op, const ConvGeometry& sizes, std::span<const Shape> in) {
  if (sizes.axes.size() > WeightedPicks::kMostAxes || !op.has_equal_groups(sizes) ||
      sizes.in_positions() > std::numeric_limits<std::int32_t>::max())
    return false;
  for (std::size_t i = 2; i < in.size(); ++i)
    if (in[i] != op.operand_shape(sizes, i)) return false;
  return true;
}

}  // namespace

FactList DeformColumns::output_facts(Facts in) const {
  const auto x = in[0].shape.concrete();
  check(x.has_value(), "x of shape ", in[0].shape);
  const ConvGeometry sizes = plain().geometry(*x, weights);
  return {Fact::tensor(
      in[0].dtype,
      Shape{sizes.batch, sizes.groups, sizes.in_channels * sizes.taps(), sizes.out_positions()})};
}

std::size_t DeformColumns::scratch_bytes(Facts) const { return WeightedPicks::scratch_bytes(); }

void DeformColumns::run(const KernelIo& io) const {
  const TensorView& x = io.inputs[0];
  const ConvGeometry sizes = plain().geometry(x.shape, weights);
  const MovedTaps taps(*this, sizes, io);
  const int64_t outputs = sizes.out_positions(), plane = sizes.in_positions(),
                channels = x.shape[1] / offset_group, places = taps.count() * outputs;
  if (places == 0) return;
  const WorkSize work = work_on(places * (channels + 4), 40 * static_cast<double>(taps.corners()));
  const std::size_t parts = parts_of(io, work, (places + 15) / 16);
  share(io, parts, WeightedPicks::scratch_bytes(), [&](std::size_t part, std::byte* scratch) {
    WeightedPicks picks(scratch, taps.corners());
    const kernels::Range range = part_of(places, 16, part, parts);
    for (int64_t at = range.begin; at < range.end;) {
      const MovedTap tap = taps[at / outputs];
      const int64_t first = at % outputs;
      const int64_t n = std::min({picks.most_places(), outputs - first, range.end - at});
      taps.find(tap, first, n, picks);
      const int64_t first_channel = (tap.item * offset_group + tap.group) * channels;
      for (int64_t c = first_channel; c < first_channel + channels; ++c)
        picks.sample(x.as<float>() + c * plane, n,
                     io.outputs[0].as<float>() + (c * sizes.taps() + tap.tap) * outputs + first);
      at += n;
    }
  });
}

Cost DeformColumns::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  // A product and a sum for each corner around a place.
  cost.flops = static_cast<double>(product(*out[0].shape.concrete()) << (weights.size() - 1));
  return cost;
}

std::string DeformColumns::explain(Facts, Facts) const {
  return "weighted picks, found once for all channels of a group";
}

/// DeformConv of f32 of known sizes -> Reshape(MatMul(w, DeformColumns))
Rewrite lower_deform_conv(const NodeView& node, const Target&) {
  const DeformConv* deform = node.op().as<DeformConv>();
  if (!deform) return no_change;
  std::vector<Shape> in;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto shape = node.input_fact(i).shape.concrete();
    if (!is_f32(node.input_fact(i)) || !shape) return no_change;
    in.push_back(*shape);
  }
  const ConvGeometry sizes = deform->plain().geometry(in[0], in[1]);
  if (!are_kernel_sizes(*deform, sizes, in)) return no_change;
  Patch patch(node);
  const auto reshaped = [&](std::string_view name, OutletId wire, const Shape& shape) {
    const OutletId target =
        patch.constant(cat(name, ".shape"), Tensor::vector<int64_t>(Span(shape)));
    return patch.wire_one(name, Reshape{ReshapeZero::keep}, {wire, target});
  };
  OutletIds moved = node.inputs();
  moved.erase(moved.begin() + 1);
  const OutletId columns = patch.wire_one("columns", DeformColumns{{*deform}, in[1]}, moved);
  const OutletId weights =
      reshaped("weights", node.input(1),
               {sizes.groups, sizes.out_channels, sizes.in_channels * sizes.taps()});
  const OutletId product = patch.wire_one("product", MatMul{}, {weights, columns});
  patch.shunt(node.output(), reshaped("", product, *node.output_fact().shape.concrete()));
  return patch;
}

}  // namespace strata
