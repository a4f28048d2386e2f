#include "strata/core/ops/deform_conv.h"

#include <cmath>

#include "ops/blocked_product.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// An element of a plane and its weight.
struct Corner {
  std::int64_t element;
  double weight;
};

/// What each output of one tap is made of: the corners around its place that are in the plane,
/// linear along each axis.
struct Moved {
  std::vector<Corner> corners;
  std::vector<std::size_t> ends;  ///< of the corners of each output

  void clear() {
    corners.clear();
    ends.clear();
  }
  void add(std::span<const AxisWindow> axes, std::span<const double> place, Corner so_far) {
    if (axes.empty()) {
      corners.push_back(so_far);
      return;
    }
    const double below = std::floor(place[0]), t = place[0] - below;
    for (const int side : {0, 1}) {
      const double at = below + side, weight = side == 0 ? 1 - t : t;
      if (!(at >= 0 && at < static_cast<double>(axes[0].in))) continue;
      add(axes.subspan(1), place.subspan(1),
          {so_far.element * axes[0].in + static_cast<std::int64_t>(at), so_far.weight * weight});
    }
  }
  void gather(const double* plane, double* to) const {
    std::size_t i = 0;
    for (const std::size_t end : ends) {
      double sum = 0;
      for (; i < end; ++i) sum += corners[i].weight * plane[corners[i].element];
      *to++ = sum;
    }
  }
};

/// The operands of one item of the batch, all f64.
struct Item {
  const double* x;
  const double* offsets;
  const double* mask;  ///< null for ones
};

/// Gathers all taps of all channels at all outputs: row (channel, tap), column output. Channels of
/// one group are moved alike.
void gather_moved(const ConvGeometry& g, std::int64_t offset_group, const Item& item, double* to) {
  Shape kernel;
  for (const AxisWindow& axis : g.axes) kernel.push_back(axis.kernel);
  const Shape out = output_sizes(g.axes);
  const std::int64_t channels = g.groups * g.in_channels / offset_group,
                     outputs = g.out_positions(), taps = g.taps();
  const auto rank = static_cast<std::int64_t>(kernel.size());
  std::vector<double> place(kernel.size());
  Moved moved;
  for (std::int64_t group = 0; group < offset_group; ++group) {
    std::int64_t at = group * taps, row = group * channels * taps;
    for_each_index(kernel, [&](const Shape& tap) {
      std::int64_t o = 0;
      moved.clear();
      for_each_index(out, [&](const Shape& index) {
        for (std::size_t a = 0; a < place.size(); ++a)
          place[a] = static_cast<double>(index[a] * g.axes[a].stride + tap[a] * g.axes[a].dilation -
                                         g.axes[a].before) +
                     item.offsets[(at * rank + static_cast<std::int64_t>(a)) * outputs + o];
        moved.add(g.axes, place, {0, item.mask ? item.mask[at * outputs + o] : 1});
        moved.ends.push_back(moved.corners.size());
        ++o;
      });
      for (std::int64_t c = 0; c < channels; ++c)
        moved.gather(item.x + (group * channels + c) * g.in_positions(),
                     to + (row + c * taps) * outputs);
      ++at, ++row;
    });
  }
}

void check_extents(const DeformConv& op, const ConvGeometry& g, Tensors in) {
  check_data(op.has_equal_groups(g), "(C6) ", op.offset_group, " offset groups do not divide ",
             g.groups * g.in_channels, " channels");
  for (std::size_t i = 2; i < in.size(); ++i) {
    const Shape wanted = op.operand_shape(g, i);
    check_data(in[i].shape() == wanted, "(C5) input ", i, " of shape ", Span(in[i].shape()), ", ",
               Span(wanted), " is wanted");
  }
}

}  // namespace

Shape DeformConv::operand_shape(const ConvGeometry& geometry, std::size_t input) const {
  const auto rank = static_cast<std::int64_t>(geometry.axes.size());
  Shape out{geometry.batch, offset_group * geometry.taps() * (input == 2 ? rank : 1)};
  for (const std::int64_t size : output_sizes(geometry.axes)) out.push_back(size);
  return out;
}

bool DeformConv::has_equal_groups(const ConvGeometry& geometry) const {
  return offset_group >= 1 && geometry.groups * geometry.in_channels % offset_group == 0;
}

FactList DeformConv::output_facts(Facts in) const {
  check_arity("(C1) DeformConv", in, 3, 4);
  for (std::size_t i = 0; i < in.size(); ++i) {
    check(in[i].dtype == in[0].dtype && is_float(in[i].dtype), "(C2) ", in[i].dtype,
          " does not go with ", in[0].dtype);
    check(in[i].shape.is_open() || in[i].shape.rank() >= 3, "(C3) input ", i, " has the shape ",
          in[i].shape);
  }
  const Fact* operands[] = {&in[0], &in[1]};
  return plain().output_facts(Facts(operands));
}

TensorList DeformConv::eval(Tensors in) const {
  const ConvGeometry g = plain().geometry(in[0].shape(), in[1].shape());
  check_extents(*this, g, in);
  TensorList wide;
  for (const Tensor& tensor : in) wide.push_back(cast(tensor, DatumType::f64));
  const auto item_of = [&](std::size_t i, std::int64_t n) {
    return wide[i].as<double>().data() + n * (wide[i].size() / g.batch);
  };
  const std::int64_t depth = g.in_channels * g.taps(), outputs = g.out_positions();
  Shape shape{g.batch, g.groups * g.out_channels};
  for (const AxisWindow& axis : g.axes) shape.push_back(axis.out);
  MutableTensor out(DatumType::f64, shape),
      columns(DatumType::f64, Shape{g.groups * depth * outputs});
  double* gathered = columns.as<double>().data();
  for (std::int64_t n = 0; n < g.batch; ++n) {
    gather_moved(g, offset_group,
                 {item_of(0, n), item_of(2, n), in.size() > 3 ? item_of(3, n) : nullptr}, gathered);
    for (std::int64_t i = 0; i < g.groups; ++i) {
      const double* w = wide[1].as<double>().data() + i * g.out_channels * depth;
      multiply(LeftPanels<double>(MatrixRef<double>{w, g.out_channels, depth, depth, 1}),
               MatrixRef<double>{gathered + i * depth * outputs, depth, outputs, outputs, 1},
               out.as<double>().data() + (n * g.groups + i) * g.out_channels * outputs, outputs);
    }
  }
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
