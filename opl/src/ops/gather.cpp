#include "strata/core/ops/gather.h"

#include <limits>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/gather_nd.h"
#include "strata/core/ops/non_max_suppression.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/one_hot.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/top_k.h"

namespace strata::opl {
namespace {

template <class Op>
Standard write_along_axis(const NodeView& node, GraphWriter& writer, std::string_view fragment) {
  const auto axis = normalized_axis(node.op().as<Op>()->axis, input_rank(node, 0));
  if (!axis) return std::nullopt;
  return call(std::string(fragment),
              {positional(writer.input(node, 0)), positional(writer.input(node, 1)),
               named("axis", number(*axis))});
}

Standard write_gather(const NodeView& node, GraphWriter& writer) {
  return write_along_axis<Gather>(node, writer, "tract_core_gather");
}

Standard write_gather_elements(const NodeView& node, GraphWriter& writer) {
  return write_along_axis<GatherElements>(node, writer, "tract_core_gather_elements");
}

Standard write_gather_nd(const NodeView& node, GraphWriter& writer) {
  return call("tract_core_gather_nd",
              {positional(writer.input(node, 0)), positional(writer.input(node, 1)),
               named("batch_dims", number(node.op().as<GatherNd>()->batch_dims))});
}

Standard write_top_k(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<TopK>();
  const auto axis = normalized_axis(op.axis, input_rank(node, 0));
  if (!axis) return std::nullopt;
  const auto k = constant_integer(node, 1);
  return call(
      "tract_core_topk",
      {positional(writer.input(node, 0)), positional(k ? number(*k) : writer.input(node, 1)),
       named("axis", number(*axis)), named("largest", logical(op.order == TopKOrder::greatest))});
}

OutletIds read_top_k(Invocation& call) {
  const TopK op{call.integer("axis"),
                call.logical("largest", true) ? TopKOrder::greatest : TopKOrder::least};
  const OutletId k = call.item("k").is_wire()
                         ? call.wire("k")
                         : call.integers_constant("k", Shape{call.integer("k")});
  return call.make(op, {call.wire("input"), k});
}

/// tract has the values in single precision, and the output in their type.
Standard write_one_hot(const NodeView& node, GraphWriter& writer) {
  const ShapeFact& out = node.output_fact().shape;
  const auto depth = constant_integer(node, 1);
  const Tensor* values = constant_input(node, 2);
  if (out.is_open() || !depth || values == nullptr || values->dtype() != DatumType::f32)
    return std::nullopt;
  const auto axis = normalized_axis(node.op().as<OneHot>()->axis, out.rank());
  return call("tract_core_one_hot",
              {positional(writer.input(node, 0)), named("axis", number(*axis)),
               named("dim", number(*depth)), named("value_off", number(values->as<float>()[0])),
               named("value_on", number(values->as<float>()[1]))});
}

OutletIds read_one_hot(Invocation& call) {
  const auto off = static_cast<float>(call.number("value_off", 0));
  const auto on = static_cast<float>(call.number("value_on", 1));
  const OutletId depth = call.integers_constant("depth", Shape{call.integer("dim")});
  const OutletId values = call.constant("values", Tensor::of<float>({2}, {off, on}));
  return call.make(OneHot{call.integer("axis")}, {call.wire("input"), depth, values});
}

/// 0 boxes at most stand for any number of them.
OutletIds read_non_max_suppression(Invocation& call) {
  const OutletId scores = call.wire("scores", DatumType::f32);
  OutletId most = call.wire("max_output_boxes_per_class", DatumType::i64);
  if (const auto value = call.fact(most).integers(); value && *value == Shape{0})
    most = call.constant("any_number", Tensor::scalar(std::numeric_limits<std::int64_t>::max()));
  const OutletId least =
      call.given("score_threshold")
          ? call.wire("score_threshold", DatumType::f32)
          : call.constant("any_score", Tensor::scalar(-std::numeric_limits<float>::infinity()));
  return call.make(NonMaxSuppression{call.integer("center_point_box", 0) != 0},
                   {call.wire("boxes", DatumType::f32), scores, most,
                    call.wire("iou_threshold", DatumType::f32), least});
}

Standard write_range(const NodeView& node, GraphWriter& writer) {
  return call("tract_core_range",
              {positional(writer.operand(node, 0)), positional(writer.operand(node, 1)),
               positional(writer.operand(node, 2))});
}

OutletIds read_range(Invocation& call) {
  return call.make(strata::Range{}, {call.wire("start"), call.wire("end"), call.wire("step")});
}

}  // namespace

void register_gather(Writers& writers) {
  writers.add("Gather", write_gather);
  writers.add("GatherElements", write_gather_elements);
  writers.add("GatherNd", write_gather_nd);
  writers.add("TopK", write_top_k);
  writers.add("OneHot", write_one_hot);
  writers.add("Range", write_range);
}

void register_gather(Readers& readers) {
  readers.add("tract_core_gather", "input, indices, axis", [](Invocation& call) {
    return call.make(Gather{call.integer("axis")}, {call.wire("input"), call.wire("indices")});
  });
  readers.add("tract_core_gather_elements", "input, indices, axis", [](Invocation& call) {
    return call.make(GatherElements{call.integer("axis")},
                     {call.wire("input"), call.wire("indices")});
  });
  readers.add("tract_core_gather_nd", "input, indices, batch_dims", [](Invocation& call) {
    return call.make(GatherNd{call.integer("batch_dims", 0)},
                     {call.wire("input"), call.wire("indices")});
  });
  readers.add("tract_core_topk", "input, k, axis, largest", read_top_k);
  readers.add("tract_core_one_hot", "input, axis, dim, value_off, value_on", read_one_hot);
  readers.add(
      "tract_onnx_non_max_suppression",
      "boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold, center_point_box",
      read_non_max_suppression);
  readers.add("tract_onnx_non_zero", "input, count_symbol",
              [](Invocation& call) { return call.make(NonZero{}, {call.wire("input")}); });
  readers.add("tract_core_range", "start, end, step", read_range);
}

}  // namespace strata::opl
