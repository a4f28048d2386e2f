#include "strata/core/ops/conv.h"

#include <algorithm>

#include "ops/blocked_product.h"
#include "ops/movement.h"
#include "ops/padded_image.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {

std::int64_t ConvGeometry::in_positions() const {
  std::int64_t n = 1;
  for (const AxisWindow& axis : axes) n *= axis.in;
  return n;
}

std::int64_t ConvGeometry::out_positions() const {
  std::int64_t n = 1;
  for (const AxisWindow& axis : axes) n *= axis.out;
  return n;
}

std::int64_t ConvGeometry::taps() const {
  std::int64_t n = 1;
  for (const AxisWindow& axis : axes) n *= axis.kernel;
  return n;
}

double ConvGeometry::flops() const {
  return 2.0 * static_cast<double>(batch * groups * out_channels) *
         static_cast<double>(out_positions()) * static_cast<double>(in_channels * taps());
}

namespace {

/// Elements of one block of gathered columns, at most.
constexpr std::int64_t kColumnBlock = 1 << 20;

/// Gathers the inputs of outputs [begin, begin + n) of one group: row (channel, tap), column
/// output.
template <class T>
void gather_columns(const T* x, const ConvGeometry& g, const std::vector<std::int64_t>& offsets,
                    std::int64_t n, T* to) {
  const std::int64_t plane = g.in_positions(), taps = g.taps();
  for (std::int64_t c = 0; c < g.in_channels; ++c, x += plane) {
    const std::int64_t* offset = offsets.data();
    for (std::int64_t i = 0; i < taps * n; ++i) *to++ = offset[i] < 0 ? T{} : x[offset[i]];
  }
}

/// The convolution as one product a group and block of outputs: weights times gathered columns.
template <class T>
void convolve(const ConvGeometry& g, const T* x, const T* w, T* y) {
  const std::int64_t depth = g.in_channels * g.taps(), outputs = g.out_positions();
  const std::int64_t block =
      std::clamp<std::int64_t>(kColumnBlock / std::max<std::int64_t>(depth, 1), 16, outputs + 16);
  MutableTensor columns(datum_type_of<T>, Shape{depth * std::min(block, outputs)});
  T* gathered = columns.as<T>().data();
  std::vector<LeftPanels<T>> weights;
  for (std::int64_t group = 0; group < g.groups; ++group)
    weights.emplace_back(
        MatrixRef<T>{w + group * g.out_channels * depth, g.out_channels, depth, depth, 1});
  for (std::int64_t begin = 0; begin < outputs; begin += block) {
    const std::int64_t n = std::min(block, outputs - begin);
    const auto offsets = tap_offsets(g.axes, begin, begin + n);
    for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
      gather_columns(x + i * g.in_channels * g.in_positions(), g, offsets, n, gathered);
      multiply(weights[static_cast<std::size_t>(i % g.groups)],
               MatrixRef<T>{gathered, depth, n, n, 1}, y + i * g.out_channels * outputs + begin,
               outputs);
    }
  }
}

template <class T>
void add_bias(const T* bias, std::int64_t batch, std::int64_t channels, std::int64_t positions,
              T* y) {
  for (std::int64_t i = 0; i < batch * channels; ++i)
    for (std::int64_t p = 0; p < positions; ++p, ++y) *y = static_cast<T>(*y + bias[i % channels]);
}

Tensor convolved(const Conv& op, Tensors in) {
  const ConvGeometry g = op.geometry(in[0].shape(), in[1].shape());
  const std::int64_t channels = g.groups * g.out_channels;
  Shape shape{g.batch, channels};
  for (const AxisWindow& axis : g.axes) shape.push_back(axis.out);
  MutableTensor out(in[0].dtype(), shape);
  visit_product_type(in[0].dtype(), [&]<class T>(TypeTag<T>) {
    T* y = out.storage_as<T>().data();
    convolve<T>(g, in[0].storage_as<T>().data(), in[1].storage_as<T>().data(), y);
    if (in.size() < 3) return;
    check_data(in[2].size() == channels, "(C7) a bias of ", in[2].size(), " for ", channels,
               " channels");
    add_bias(in[2].storage_as<T>().data(), g.batch, channels, g.out_positions(), y);
  });
  return std::move(out).freeze();
}

/// Channels and kernel sizes that x and w agree on.
void check_shapes(const Conv& op, const ShapeFact& x, const ShapeFact& w) {
  check(x.is_open() || x.rank() >= 2, "(C3) x of shape ", x, " has no channels");
  check(w.is_open() || w.rank() >= 2, "(C3) weights of shape ", w, " have no channels");
  check(op.group >= 1, "(C6) ", op.group, " groups");
  if (w.is_known()) {
    const auto m = w[0].constant();
    check(!m || *m % op.group == 0, "(C6) ", op.group, " groups do not divide ", w[0],
          " output channels");
    op.window().check_axes("(C4)", w.rank() - 2);
  }
  if (x.is_known()) op.window().check_axes("(C4)", x.rank() - 2);
  if (x.is_open() || w.is_open()) return;
  check(x.rank() == w.rank(), "(C3) ranks of x ", x, " and weights ", w, " differ");
  check(may_be_equal(x[1], w[1] * Dim(op.group)), "(C5) x has ", x[1], " channels, ", op.group,
        " groups of ", w[1], " are wanted");
}

Rewrite padding_itself(const Conv& op, const NodeView& node) {
  const auto padded = padded_image(node);
  if (!padded || padded->value != 0) return no_change;
  const auto whole = joined(*padded, op.padding);
  if (!whole) return no_change;
  return without_pad(node, *padded, Conv{op.strides, op.dilations, *whole, op.group});
}

void drop(Shape& list, std::size_t at) {
  if (!list.empty()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

/// The axis that an Unsqueeze adds to the image, if that is a spatial one with others beside it.
std::optional<std::size_t> added_axis(const NodeView& node) {
  const NodeView before = node.producer(0);
  const ShapeFact& x = node.input_fact(0).shape;
  if (!before.op().as<Unsqueeze>() || x.is_open() || x.rank() < 4) return std::nullopt;
  const auto axes = known_axes(before.input_fact(1), x.rank());
  return axes && axes->size() == 1 && (*axes)[0] >= 2 ? std::optional((*axes)[0]) : std::nullopt;
}

Rewrite on_fewer_axes(const Conv& op, const NodeView& node) {
  const auto added = added_axis(node);
  const ShapeFact& w = node.input_fact(1).shape;
  if (!added || w.is_open() || w[*added] != Dim(1)) return no_change;
  const std::size_t axis = *added - 2, axes = w.rank() - 2;
  Conv fewer = op;
  Shape& amounts = fewer.padding.amounts;
  if (!amounts.empty()) {
    const bool pads = amounts[axis] != 0 || amounts[axes + axis] != 0;
    if (pads && op.padding.kind == Padding::Kind::fixed) return no_change;
    drop(amounts, axes + axis);
    drop(amounts, axis);
  }
  drop(fewer.strides, axis);
  drop(fewer.dilations, axis);
  Patch patch(node);
  OutletIds operands = node.inputs();
  operands[0] = node.producer(0).input(0);
  const std::vector<std::int64_t> place{static_cast<std::int64_t>(*added)};
  const OutletId axis_of_all = patch.constant("axis", Tensor::vector<std::int64_t>(place));
  operands[1] = patch.wire_one("weights", Squeeze{}, {operands[1], axis_of_all});
  const OutletId y = patch.wire_one("convolved", fewer, operands);
  patch.shunt(node.output(), patch.wire_one("", Unsqueeze{}, {y, axis_of_all}));
  return patch;
}

}  // namespace

ConvGeometry Conv::geometry(const Shape& x, const Shape& w) const {
  check_data(x.size() == w.size() && x.size() >= 2, "(C3) ranks of x ", Span(x), " and weights ",
             Span(w), " differ");
  check_data(group >= 1 && x[1] % group == 0 && x[1] / group == w[1], "(C5) x has ", x[1],
             " channels, ", group, " groups of ", w[1], " are wanted");
  check_data(w[0] % group == 0, "(C6) ", group, " groups do not divide ", w[0], " output channels");
  window().check_axes("(C4)", x.size() - 2);
  return {x[0], group, w[1], w[0] / group, window().axes(Span(x).subspan(2), Span(w).subspan(2))};
}

FactList Conv::output_facts(Facts in) const {
  check_arity("(C1) Conv", in, 2, 3);
  for (std::size_t i = 0; i < in.size(); ++i)
    check(in[i].dtype == in[0].dtype && has_product(in[i].dtype), "(C2) ", in[i].dtype,
          " does not go with ", in[0].dtype);
  const ShapeFact &x = in[0].shape, &w = in[1].shape;
  check_shapes(*this, x, w);
  if (in.size() == 3 && in[2].shape.is_known())
    check(in[2].shape.rank() == 1 && (w.is_open() || may_be_equal(in[2].shape[0], w[0])),
          "(C7) a bias of shape ", in[2].shape, " for weights of shape ", w);
  if (x.is_open() && w.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t rank = x.is_known() ? x.rank() : w.rank();
  std::vector<Dim> out{x.is_known() ? x[0] : fresh_dim(), w.is_known() ? w[0] : fresh_dim()};
  if (x.is_known() && w.is_known()) {
    const auto spatial =
        window().output_dims(std::span(x.dims()).subspan(2), std::span(w.dims()).subspan(2));
    for (std::size_t i = 0; i < spatial.size(); ++i) {
      check(spatial[i].constant().value_or(0) >= 0, "(C4) a window of ", w[2 + i],
            " does not fit into ", x[2 + i]);
      out.push_back(spatial[i]);
    }
  }
  while (out.size() < rank) out.push_back(fresh_dim());
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList Conv::eval(Tensors in) const {
  return {in_product_type(in, [&](Tensors operands) { return convolved(*this, operands); })};
}

/// Conv(Pad(x, zeros))        ->  Conv(x), which pads by as much more
/// Conv(Unsqueeze(x, a), w)   ->  Unsqueeze(Conv(x, Squeeze(w, a)), a), for one tap and no padding
///                                on a
Rewrite Conv::declutter(const NodeView& node) const {
  if (Rewrite rewrite = padding_itself(*this, node)) return rewrite;
  return on_fewer_axes(*this, node);
}

Cost Conv::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto x = in[0].shape.concrete(), w = in[1].shape.concrete();
  if (x && w) cost.flops = geometry(*x, *w).flops();
  return cost;
}

}  // namespace strata
