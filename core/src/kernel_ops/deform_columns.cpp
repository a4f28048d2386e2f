#include "kernel_ops/deform_columns.h"

#include <limits>

#include "kernel_ops/weighted_picks.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"

namespace strata {
namespace {

using std::int64_t;

/// The corners around a place, each the end of a path of sides along the axes.
class Corners {
 public:
  explicit Corners(double weight) { taps_[0] = {0, weight}; }

  /// Goes on along an axis of `size` elements: the new axis' neighbours lie side by side.
  void add_axis(double place, int64_t size) {
    const bool is_near = place > -1 && place < static_cast<double>(size);
    int64_t below = is_near ? static_cast<int64_t>(place) : -2;
    if (place < static_cast<double>(below)) --below;
    const double t = place - static_cast<double>(below);
    for (std::size_t i = count_; i-- > 0;) {
      const Tap from = taps_[i];
      const auto side = [&](int64_t at, double weight) {
        const bool is_inside = from.index >= 0 && at >= 0 && at < size;
        return Tap{is_inside ? from.index * size + at : -1, from.weight * weight};
      };
      taps_[2 * i] = side(below, 1 - t);
      taps_[2 * i + 1] = side(below + 1, t);
    }
    count_ *= 2;
  }
  const GridTaps::Tap* taps() const { return taps_; }

 private:
  using Tap = GridTaps::Tap;
  Tap taps_[std::size_t{1} << WeightedPicks::kMostAxes];
  std::size_t count_ = 1;
};

/// Finds where the taps lie: those of one item and one group of channels that are moved alike, then
/// those of the next.
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
  /// Around each place.
  std::size_t corners() const { return std::size_t{1} << sizes_.axes.size(); }

  /// Sets the picks of a tap at n outputs from `first` on.
  void find(int64_t tap, int64_t first, int64_t n, WeightedPicks& picks) const {
    const std::size_t rank = sizes_.axes.size();
    const float* offsets = offsets_ + tap * static_cast<int64_t>(rank) * outputs_ + first;
    const float* mask = mask_ ? mask_ + tap * outputs_ + first : nullptr;
    int64_t index[WeightedPicks::kMostAxes], start[WeightedPicks::kMostAxes];
    int64_t output = first, in_kernel = tap % taps_;
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
  check(x.has_value(), "x of shape ", in[0].shape, ", whose sizes are not known");
  const ConvGeometry sizes = plain().geometry(*x, weights);
  for (std::size_t i = 1; i < in.size(); ++i)
    check(in[i].shape == operand_shape(sizes, i + 1), "operand ", i, " has shape ", in[i].shape);
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
                channels = x.shape[1] / offset_group;
  share_places(io, {taps.count(), outputs, channels, taps.corners()},
               [&](int64_t tap, int64_t first, int64_t n, WeightedPicks& picks) {
                 taps.find(tap, first, n, picks);
                 picks.find_pairs(n);
                 const int64_t begin = tap / sizes.taps() * channels, row = tap % sizes.taps();
                 for (int64_t c = begin; c < begin + channels; ++c)
                   picks.sample(
                       x.as<float>() + c * plane, n,
                       io.outputs[0].as<float>() + (c * sizes.taps() + row) * outputs + first);
               });
}

Cost DeformColumns::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto corners = std::int64_t{1} << (weights.size() - 2);
  cost.flops = static_cast<double>(2 * corners * product(*out[0].shape.concrete()));
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
