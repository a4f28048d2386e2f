#include "strata/core/ops/pool.h"

#include <algorithm>

#include "ops/all.h"
#include "ops/support.h"
#include "ops/window.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/slice.h"

namespace strata::opl {
namespace {

/// A list over all axes: batch and channels have `filler`.
template <class List, class T>
List over_all_axes(const List& spatial, const T& filler) {
  List out(2, filler);
  for (const auto& value : spatial) out.push_back(value);
  return out;
}

Standard write_pool(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Pool>();
  const bool overhangs = op.rounding == WindowRounding::ceil && op.count_padding;
  if (op.kind == PoolKind::lp || op.indices != PoolIndices::none || overhangs) return std::nullopt;
  const auto padding = window_padding(op.window(), node.input_fact(0).shape, op.kernel);
  if (!padding) return std::nullopt;
  const std::size_t axes = op.kernel.size();
  const Pairs all_padding =
      padding->empty() ? Pairs{} : over_all_axes(*padding, std::pair<std::int64_t, std::int64_t>{});
  const bool counts = op.kind == PoolKind::average && op.count_padding;
  std::vector<Argument> arguments = {
      positional(writer.input(node, 0)),
      named("size", numbers(over_all_axes(op.kernel, std::int64_t{1}))),
      named("dilation", numbers(over_all_axes(ones_or(op.dilations, axes), std::int64_t{1}))),
      named("stride", numbers(over_all_axes(ones_or(op.strides, axes), std::int64_t{1}))),
      named("border", string(counts ? "constant" : "ignore")),
      named("padding", pairs(all_padding))};
  if (op.kind == PoolKind::max) return call("max_pool", std::move(arguments));
  arguments.push_back(named("normalize", logical(true)));
  return call("box", std::move(arguments));
}

/// The spatial part of a list over all axes, whose first two must be 1.
Shape spatial_part(Invocation& call, std::string_view parameter) {
  const Shape all = call.integers(parameter);
  if (all.empty()) return {};
  if (all.size() < 3 || all[0] != 1 || all[1] != 1)
    call.unsupported(cat(in_quotes(parameter), " over other than the spatial axes"));
  return Shape(all.begin() + 2, all.end());
}

Pool read_window(Invocation& call, PoolKind kind) {
  Pool op;
  op.kind = kind;
  op.kernel = spatial_part(call, "size");
  op.strides = spatial_part(call, "stride");
  op.dilations = spatial_part(call, "dilation");
  Pairs padding = call.pairs("padding");
  if (padding.size() > 2) {
    if (padding[0] != Pairs::value_type{} || padding[1] != Pairs::value_type{})
      call.unsupported("a padding of the batch or of channels");
    padding.erase(padding.begin(), padding.begin() + 2);
  }
  op.padding = padding_of(padding);
  const std::string border = call.string("border", "constant");
  if (border != "ignore" && border != "constant")
    call.unsupported(cat("the border ", in_quotes(border)));
  op.count_padding = kind == PoolKind::average && border == "constant";
  return op;
}

OutletIds read_max_pool(Invocation& call) {
  return call.make(read_window(call, PoolKind::max), {call.wire("input")});
}

/// Places are counted within the plane of a channel, where core's count in the whole tensor.
OutletIds read_max_pool_with_index(Invocation& call) {
  Pool op = read_window(call, PoolKind::max);
  op.indices = PoolIndices::row_major;
  const OutletId input = call.wire("input");
  if (call.rank(input) < 3) call.fail("the input must have rank 3 or more");
  const DimsView dims = call.fact(input).shape.dims();
  Dim plane = 1;
  for (std::size_t axis = 2; axis < dims.size(); ++axis) plane = plane * dims[axis];
  const OutletIds found = call.steps("found", op, {input});
  return {found[0],
          call.step("index", BinaryOp::mod, found[1], call.size_vector("plane", {plane}))};
}

OutletIds read_average(Invocation& call) {
  return call.make(read_window(call, PoolKind::average), {call.wire("input")});
}

/// Without `normalize` a box sums: the mean times the number of elements.
OutletIds read_box(Invocation& call) {
  if (call.logical("normalize", false)) return read_average(call);
  Pool op = read_window(call, PoolKind::average);
  op.count_padding = true;  // zeros add nothing to a sum, but all means divide by the same number
  const OutletId input = call.wire("input");
  const OutletId mean = call.step("mean", op, {input});
  double count = 1;
  for (const std::int64_t size : op.kernel) count *= static_cast<double>(size);
  const OutletId scale = call.number_constant("count", call.fact(input).dtype, count);
  return call.make(BinaryOp::mul, mean, scale);
}

/// Means of blocks of `factor` elements along the axes after the first two.
OutletIds read_area_downsample(Invocation& call) {
  Pool op;
  op.kind = PoolKind::average;
  op.kernel = op.strides = call.integers("factor");
  return call.make(op, {call.wire("input")});
}

/// The first element of each such block.
OutletIds read_nearest_downsample(Invocation& call) {
  const Shape factors = call.integers("factor");
  const Shape begin(factors.size(), 0), end(factors.size(), INT64_MAX);
  return call.make(Slice{}, {call.wire("input"), call.integers_constant("begin", begin),
                             call.integers_constant("end", end),
                             call.integers_constant("axes", sequence_of(2, factors.size())),
                             call.integers_constant("stride", factors)});
}

}  // namespace

void register_pool(Writers& writers) { writers.add("Pool", write_pool); }

void register_pool(Readers& readers) {
  constexpr std::string_view kWindow = "input, size, border, padding, stride, dilation";
  readers.add("max_pool", kWindow, read_max_pool);
  readers.add("max_pool_with_index", kWindow, read_max_pool_with_index);
  readers.add("avg_pool", kWindow, read_average);
  readers.add("area_downsample", "input, factor", read_area_downsample);
  readers.add("nearest_downsample", "input, factor", read_nearest_downsample);
  readers.add("box", "input, size, border, padding, stride, dilation, normalize", read_box);
}

}  // namespace strata::opl
