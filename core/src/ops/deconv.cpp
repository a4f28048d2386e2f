#include "strata/core/ops/deconv.h"

#include "ops/blocked_product.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

struct OutputAxis {
  Dim size, before, after;
};

/// The output size and the padding of one spatial axis.
OutputAxis output_axis(const Deconv& op, std::size_t axis, std::size_t axes, const Dim& in,
                       const Dim& kernel) {
  using Kind = Padding::Kind;
  const std::int64_t stride = op.strides.empty() ? 1 : op.strides[axis];
  const std::int64_t dilation = op.dilations.empty() ? 1 : op.dilations[axis];
  const std::int64_t extra = op.output_padding.empty() ? 0 : op.output_padding[axis];
  const Dim full = Dim(stride) * (in - 1) + Dim(dilation) * (kernel - 1) + 1 + extra;
  const Kind kind = op.padding.kind;
  if (op.output_shape || kind == Kind::same_upper || kind == Kind::same_lower) {
    const Dim size = op.output_shape ? Dim((*op.output_shape)[axis]) : in * Dim(stride);
    const auto [before, after] =
        split_padding(max(full - size, 0), kind == Kind::same_upper ? kind : Kind::same_lower);
    return {size, before, after};
  }
  if (kind == Kind::valid || op.padding.amounts.empty()) return {full, 0, 0};
  const Dim before = op.padding.amounts[axis], after = op.padding.amounts[axes + axis];
  return {full - before - after, before, after};
}

void check_lists(const Deconv& op, std::size_t axes) {
  WindowSpec{op.strides, op.dilations, op.padding}.check_axes("(C4)", axes);
  check(op.output_padding.empty() || op.output_padding.size() == axes, "(C4) output padding ",
        Span(op.output_padding), " is not for ", axes, " axes");
  for (const std::int64_t extra : op.output_padding)
    check(extra >= 0, "(C4) an output padding of ", extra);
  check(!op.output_shape || op.output_shape->size() == axes, "(C4) the output shape is not for ",
        axes, " axes");
}

void check_shapes(const Deconv& op, const ShapeFact& x, const ShapeFact& w) {
  check(op.group >= 1, "(C6) ", op.group, " groups");
  for (const ShapeFact* shape : {&x, &w}) {
    if (shape->is_open()) continue;
    check(shape->rank() >= 2, "(C3) an operand of shape ", *shape, " has no channels");
    check_lists(op, shape->rank() - 2);
  }
  if (w.is_known())
    check(w[0].constant().value_or(0) % op.group == 0, "(C6) ", op.group, " groups do not divide ",
          w[0], " channels");
  if (x.is_open() || w.is_open()) return;
  check(x.rank() == w.rank(), "(C3) ranks of x ", x, " and weights ", w, " differ");
  check(may_be_equal(x[1], w[0]), "(C5) x has ", x[1], " channels, ", w[0], " are wanted");
}

/// Adds each gathered value to the output element its tap reaches.
template <class T>
void scatter_columns(const T* columns, const ConvGeometry& g,
                     const std::vector<std::int64_t>& offsets, T* y) {
  const std::int64_t count = g.taps() * g.out_positions(), plane = g.in_positions();
  for (std::int64_t c = 0; c < g.in_channels; ++c, y += plane, columns += count)
    for (std::int64_t i = 0; i < count; ++i)
      if (offsets[static_cast<std::size_t>(i)] >= 0) {
        T& to = y[offsets[static_cast<std::size_t>(i)]];
        to = static_cast<T>(to + columns[i]);
      }
}

/// One product a group: transposed weights times x, then scattered. Channel names are those of the
/// convolution.
template <class T>
void deconvolve(const ConvGeometry& g, const T* x, const T* w, T* y) {
  const std::int64_t rows = g.in_channels * g.taps(), positions = g.out_positions();
  const auto offsets = tap_offsets(g.axes, 0, positions);
  MutableTensor columns(datum_type_of<T>, Shape{rows * positions});
  T* gathered = columns.as<T>().data();
  for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
    const MatrixRef<T> weights{w + (i % g.groups) * g.out_channels * rows, g.out_channels, rows,
                               rows, 1};
    const MatrixRef<T> inputs{x + i * g.out_channels * positions, g.out_channels, positions,
                              positions, 1};
    multiply(LeftPanels<T>(weights.transposed()), inputs, gathered, positions);
    scatter_columns(gathered, g, offsets, y + i * g.in_channels * g.in_positions());
  }
}

template <class T>
void fill_bias(Span shape, const Tensor* bias, T* y) {
  const std::int64_t channels = shape[1], plane = product(shape.subspan(2));
  for (std::int64_t i = 0; i < shape[0] * channels; ++i, y += plane)
    std::fill_n(y, plane,
                bias ? bias->storage_as<T>()[static_cast<std::size_t>(i % channels)] : T{});
}

Tensor deconvolved(const Deconv& op, Tensors in) {
  const ConvGeometry g = op.geometry(in[0].shape(), in[1].shape());
  Shape shape{g.batch, g.groups * g.in_channels};
  for (const AxisWindow& axis : g.axes) shape.push_back(axis.in);
  if (in.size() > 2)
    check_data(in[2].size() == shape[1], "(C7) a bias of ", in[2].size(), " for ", shape[1],
               " channels");
  MutableTensor out(in[0].dtype(), shape);
  visit_product_type(in[0].dtype(), [&]<class T>(TypeTag<T>) {
    T* y = out.storage_as<T>().data();
    fill_bias(shape, in.size() > 2 ? &in[2] : nullptr, y);
    deconvolve<T>(g, in[0].storage_as<T>().data(), in[1].storage_as<T>().data(), y);
  });
  return std::move(out).freeze();
}

}  // namespace

ConvGeometry Deconv::geometry(const Shape& x, const Shape& w) const {
  check_data(x.size() == w.size() && x.size() >= 2, "(C3) ranks of x ", Span(x), " and weights ",
             Span(w), " differ");
  check_data(x[1] == w[0], "(C5) x has ", x[1], " channels, ", w[0], " are wanted");
  check_data(x[1] % group == 0, "(C6) ", group, " groups do not divide ", x[1], " channels");
  const std::size_t axes = x.size() - 2;
  check_lists(*this, axes);
  ConvGeometry g{x[0], group, w[1], x[1] / group, {}};
  for (std::size_t a = 0; a < axes; ++a) {
    const OutputAxis axis = output_axis(*this, a, axes, x[2 + a], w[2 + a]);
    const std::int64_t size = *axis.size.constant();
    check_data(size >= 0, "(C8) output size ", size, " on spatial axis ", a);
    g.axes.push_back({size, w[2 + a], x[2 + a], strides.empty() ? 1 : strides[a],
                      dilations.empty() ? 1 : dilations[a], *axis.before.constant(),
                      *axis.after.constant()});
  }
  return g;
}

FactList Deconv::output_facts(Facts in) const {
  check_arity("(C1) Deconv", in, 2, 3);
  for (std::size_t i = 0; i < in.size(); ++i)
    check(in[i].dtype == in[0].dtype && has_product(in[i].dtype), "(C2) ", in[i].dtype,
          " does not go with ", in[0].dtype);
  const ShapeFact &x = in[0].shape, &w = in[1].shape;
  check_shapes(*this, x, w);
  if (in.size() == 3 && in[2].shape.is_known())
    check(
        in[2].shape.rank() == 1 && (w.is_open() || may_be_equal(in[2].shape[0], w[1] * Dim(group))),
        "(C7) a bias of shape ", in[2].shape, " for weights of shape ", w);
  if (x.is_open() && w.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const std::size_t rank = x.is_known() ? x.rank() : w.rank();
  std::vector<Dim> out = fresh_shape(rank).dims();
  if (x.is_known()) out[0] = x[0];
  if (w.is_known()) out[1] = w[1] * Dim(group);
  for (std::size_t a = 2; a < rank && x.is_known() && w.is_known(); ++a) {
    out[a] = output_axis(*this, a - 2, rank - 2, x[a], w[a]).size;
    check(out[a].constant().value_or(0) >= 0, "(C8) output size ", out[a], " on spatial axis ",
          a - 2);
  }
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList Deconv::eval(Tensors in) const {
  return {in_product_type(in, [&](Tensors operands) { return deconvolved(*this, operands); })};
}

Cost Deconv::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto x = in[0].shape.concrete(), w = in[1].shape.concrete();
  if (x && w) cost.flops = geometry(*x, *w).flops();
  return cost;
}

}  // namespace strata
