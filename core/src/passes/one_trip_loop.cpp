#include "inline_body.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"

namespace strata {
namespace {

/// The part of a scanned input that the only iteration reads.
OutletId only_slice(const NodeView& node, std::size_t input, const LoopInput& how, Patch& patch) {
  const ShapeFact& shape = node.input_fact(input).shape;
  if (shape.is_known() && shape[normalized_axis(how.axis, shape.rank())] == Dim(how.chunk))
    return node.input(input);
  return slice_at(patch, cat("scan", input), node.input(input), how, 0);  // from either end
}

}  // namespace

/// Loop of 1 trip(body)  ->  body(0)
Rewrite one_trip_loop(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || trips_of(node, *loop) != Dim(1)) return no_change;
  Patch patch(node);
  OutletIds inputs;
  if (loop->numbered)
    inputs.push_back(patch.constant("iteration", Tensor::scalar<std::int64_t>(0)));
  for (std::size_t i = 0; i < loop->inputs.size(); ++i) {
    const std::size_t input = i + loop->has_trip_count;
    inputs.push_back(loop->inputs[i].kind == LoopInput::Kind::scanned
                         ? only_slice(node, input, loop->inputs[i], patch)
                         : node.input(input));
  }
  const OutletIds results = BodyInliner(*loop->body).inline_into(patch, inputs, "body");
  for (std::size_t i = 0; i < loop->outputs.size(); ++i)
    patch.shunt(node.output(i), results[static_cast<std::size_t>(loop->outputs[i].index)]);
  return patch;
}

}  // namespace strata
