#include "ops/conv.h"

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/transpose.h"

namespace strata::opl {
namespace {

/// The sizes of the kernel, where they are known; the kernel has rank 2 + spatial axes.
std::optional<Shape> kernel_sizes(const Fact& filter) {
  const auto shape = filter.shape.concrete();
  if (!shape || shape->size() < 3) return std::nullopt;
  return Shape(shape->begin() + 2, shape->end());
}

std::vector<Argument> arguments_of(const NodeView& node, GraphWriter& writer,
                                   const WindowSpec& window, std::int64_t group,
                                   const Pairs& padding) {
  std::vector<Argument> out;
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    out.push_back(positional(writer.input(node, i)));
  const std::size_t axes = node.input_fact(1).shape.rank() - 2;
  out.push_back(named("dilation", numbers(ones_or(window.dilations, axes))));
  out.push_back(named("stride", numbers(ones_or(window.strides, axes))));
  out.push_back(named("border", string("constant")));
  out.push_back(named("groups", number(group)));
  out.push_back(named("padding", pairs(padding)));
  return out;
}

Standard write_conv(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Conv>();
  const auto kernel = kernel_sizes(node.input_fact(1));
  const auto padding =
      kernel ? window_padding(op.window(), node.input_fact(0).shape, *kernel) : std::nullopt;
  const bool is_bias_of_known_rank = node.inputs().size() < 3 || input_rank(node, 2);
  if (!padding || !is_bias_of_known_rank) return std::nullopt;
  return call("conv", arguments_of(node, writer, op.window(), op.group, *padding));
}

/// `groups = 0` stands for one group a channel.
std::int64_t groups_of(Invocation& call, OutletId input) {
  const std::int64_t groups = call.integer(call.given("group") ? "group" : "groups", 1);
  if (groups != 0) return groups;
  if (call.rank(input) < 2) call.fail("the input must have rank 2 or more");
  const auto channels = call.fact(input).shape[1].constant();
  if (!channels) call.unsupported("a depthwise convolution of unknown channels");
  return *channels;
}

void check_border(Invocation& call) {
  const std::string border = call.string("border", "constant");
  if (border != "constant") call.unsupported(cat("the border ", in_quotes(border)));
}

OutletIds read_conv(Invocation& call) {
  const OutletId input = call.wire("input"), filter = call.wire("filter");
  OutletIds inputs = {input, filter};
  const Conv op = conv_of(call, input);
  if (const auto bias = read_bias(call, call.fact(input).dtype, filter_size(call, filter, 0)))
    inputs.push_back(*bias);
  return call.make(op, inputs);
}

/// Weights [inputs, outputs of a group, …] from those that tract writes: [outputs, inputs of a
/// group, …], against NNEF.
OutletId tract_weights(Invocation& call, OutletId filter, std::int64_t groups) {
  const auto sizes = call.fact(filter).shape.concrete();
  if (!sizes || (*sizes)[0] % groups != 0) call.unsupported("weights of such sizes");
  Shape split = *sizes, joined = *sizes;
  split[0] /= groups;
  split.insert(split.begin(), groups);
  joined[0] = (*sizes)[1] * groups;
  joined[1] = split[1];
  Transpose turned;
  turned.perm = {0, 2, 1};
  for (std::size_t axis = 3; axis < split.size(); ++axis)
    turned.perm.push_back(static_cast<std::int64_t>(axis));
  const OutletId apart =
      call.step("groups", Reshape{}, {filter, call.integers_constant("group_sizes", split)});
  return call.step(
      "weights", Reshape{},
      {call.step("turned", turned, {apart}), call.integers_constant("weight_sizes", joined)});
}

/// NNEF's shape has all axes, that of tract's files only the spatial ones. With a padding, what it
/// leaves is added at the end; without, the padding is such that nothing is left, the larger half
/// at the end.
void set_output_shape(Invocation& call, OutletId input, OutletId filter, const Shape& shape,
                      Deconv& op) {
  const std::size_t axes = call.rank(filter) - 2, padded = call.pairs("padding").size();
  const auto check_size = [&](std::string_view what, std::size_t size, bool fits) {
    if (!fits) call.fail(cat(what, " of ", size, " for ", axes, " spatial axes"));
  };
  const auto check_list = [&](std::string_view what, std::size_t size) {
    check_size(what, size, size == 0 || size == axes);
  };
  check_size("an output shape", shape.size(), shape.size() == axes || shape.size() == axes + 2);
  check_size("an input of rank", call.rank(input), call.rank(input) == axes + 2);
  check_list("a padding", padded);
  check_list("strides", op.strides.size());
  check_list("dilations", op.dilations.size());
  const Shape wanted(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end());
  if (padded == 0) {
    op.output_shape = wanted;
    op.padding = {Padding::Kind::same_upper, {}};
    return;
  }
  const DimsView in = call.fact(input).shape.dims(), kernel = call.fact(filter).shape.dims();
  for (std::size_t i = 0; i < axes; ++i) {
    const auto of = [&](const Shape& each) { return Dim(each.empty() ? 1 : each[i]); };
    const Dim whole = (in[i + 2] - Dim(1)) * of(op.strides) +
                      (kernel[i + 2] - Dim(1)) * of(op.dilations) + Dim(1);
    const Dim left = whole - Dim(op.padding.amounts[i]) - Dim(op.padding.amounts[axes + i]);
    const auto more = (Dim(wanted[i]) - left).constant();
    if (!more) call.unsupported("an output shape of sizes known only by a run");
    if (*more < 0)
      call.fail(cat("the padding leaves ", left, " elements, the output shape has ", wanted[i]));
    op.output_padding.push_back(*more);
  }
}

OutletIds read_deconv(Invocation& call) {
  check_border(call);
  const OutletId input = call.wire("input");
  OutletId filter = call.wire("filter");
  Deconv op;
  op.strides = call.integers("stride");
  op.dilations = call.integers("dilation");
  op.padding = padding_of(call.pairs("padding"));
  op.group = groups_of(call, input);
  (void)filter_size(call, filter, 1);  // which refuses another rank
  if (const Shape shape = call.integers("output_shape"); !shape.empty())
    set_output_shape(call, input, filter, shape, op);
  if (call.is_of_tract() && op.group >= 1) filter = tract_weights(call, filter, op.group);
  OutletIds inputs = {input, filter};
  const Dim channels = filter_size(call, filter, 1) * Dim(op.group);
  if (const auto bias = read_bias(call, call.fact(input).dtype, channels)) inputs.push_back(*bias);
  return call.make(op, inputs);
}

}  // namespace

Conv conv_of(Invocation& call, OutletId input) {
  check_border(call);
  Conv op;
  op.strides = call.integers("stride");
  op.dilations = call.integers("dilation");
  op.padding = padding_of(call.pairs("padding"));
  op.group = groups_of(call, input);
  return op;
}

Dim filter_size(Invocation& call, OutletId filter, std::size_t axis) {
  if (call.rank(filter) <= axis) call.fail(cat("the filter must have rank ", axis + 1, " or more"));
  return call.fact(filter).shape[axis];
}

std::optional<OutletId> read_bias(Invocation& call, DatumType type, const Dim& channels) {
  if (!call.given("bias")) return std::nullopt;
  const Item& item = call.item("bias");
  if (const auto* number = item.get_if<Number>(); number && number->as_double() == 0)
    return std::nullopt;
  const OutletId bias = call.wire("bias", type);
  switch (call.rank(bias)) {
    case 0:
      return call.step("bias", Expand{}, {bias, call.size_vector("channels", {channels})});
    case 1:
      return bias;
    case 2:
      if (call.fact(bias).shape[1] != channels)
        return call.step(
            "bias", Expand{},
            {squeeze(call, "bias", bias, Shape{0}), call.size_vector("channels", {channels})});
      return squeeze(call, "bias", bias, Shape{0});
    default:
      call.fail("the bias must have rank 2 or less");
  }
}

void register_conv(Writers& writers) { writers.add("Conv", write_conv); }

void register_conv(Readers& readers) {
  constexpr std::string_view kConv =
      "input, filter, bias, border, padding, stride, dilation, groups";
  readers.add("conv", kConv, read_conv);
  readers.add("deconv",
              "input, filter, bias, border, padding, stride, dilation, output_shape, groups",
              read_deconv);
}

}  // namespace strata::opl
