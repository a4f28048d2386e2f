#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/deconv.h"

namespace strata {
namespace {

using std::int64_t;

/// The weights of the convolution: channels change places within each group, and taps their order.
Tensor turned(const Tensor& weights, int64_t groups) {
  const Shape& from = weights.shape();
  const int64_t in = from[0] / groups, out = from[1], taps = volume(Span(from).subspan(2));
  Shape to = from;
  to[0] = groups * out;
  to[1] = in;
  MutableTensor y(DatumType::f32, to);
  const float* w = weights.as<float>().data();
  for (int64_t c = 0; c < from[0]; ++c)
    for (int64_t m = 0; m < out; ++m, w += taps)
      std::reverse_copy(w, w + taps,
                        y.as<float>().data() + ((c / in * out + m) * in + c % in) * taps);
  return std::move(y).freeze();
}

/// The padding of the convolution, where that of `op` is known and takes away no more than the
/// kernel adds.
std::optional<Padding> turned_padding(const Deconv& op, Span kernel) {
  using Kind = Padding::Kind;
  if (op.output_shape || (op.padding.kind != Kind::fixed && op.padding.kind != Kind::valid))
    return std::nullopt;
  const std::size_t axes = kernel.size();
  const bool cuts = op.padding.kind == Kind::fixed && !op.padding.amounts.empty();
  Padding out{Kind::fixed, Shape(2 * axes, 0)};
  for (std::size_t i = 0; i < axes; ++i) {
    const int64_t reach = (kernel[i] - 1) * (op.dilations.empty() ? 1 : op.dilations[i]);
    out.amounts[i] = reach - (cuts ? op.padding.amounts[i] : 0);
    out.amounts[axes + i] = reach - (cuts ? op.padding.amounts[axes + i] : 0) +
                            (op.output_padding.empty() ? 0 : op.output_padding[i]);
  }
  const bool adds = std::ranges::all_of(out.amounts, [](int64_t amount) { return amount >= 0; });
  return adds ? std::optional(out) : std::nullopt;
}

}  // namespace

/// Deconv(x, w) with unit strides -> Conv(x, w turned round)
Rewrite turn_deconv(const NodeView& node, const Target&) {
  const Deconv* deconv = node.op().as<Deconv>();
  if (!deconv || !is_f32(node.input_fact(0))) return no_change;
  const Tensor* weights = node.input_fact(1).constant();
  const bool has_unit_strides =
      std::ranges::all_of(deconv->strides, [](int64_t stride) { return stride == 1; });
  if (!weights || weights->size() == 0 || weights->rank() < 3 || !has_unit_strides)
    return no_change;
  const auto padding = turned_padding(*deconv, Span(weights->shape()).subspan(2));
  if (!padding) return no_change;
  Patch patch(node);
  OutletIds inputs = node.inputs();
  inputs[1] = patch.constant("turned", turned(*weights, deconv->group));
  const Conv conv{{}, deconv->dilations, *padding, deconv->group};
  patch.shunt(node.output(), patch.wire_one("", conv, inputs));
  return patch;
}

}  // namespace strata
