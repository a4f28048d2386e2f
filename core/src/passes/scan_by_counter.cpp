#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

Tensor one_integer(std::int64_t value) { return Tensor::of<std::int64_t>({1}, {value}); }

/// Turns reads by the number of the iteration into scanned inputs.
class CounterScanner {
 public:
  CounterScanner(const NodeView& node, const Loop& loop)
      : edit_(node, loop), body_(*loop.body), counter_(body_.inputs()[0]) {
    Loop unconditional = loop;
    unconditional.condition.reset();
    trips_ = trips_of(node, unconditional);
  }

  Rewrite run() && {
    if (!trips_) return no_change;
    bool changed = false;
    for (const std::uint32_t id : body_.order()) changed |= scan(id);
    if (!changed) return no_change;
    return std::move(edit_).finish();
  }

 private:
  /// Rank 0 for the counter itself, 1 for a vector of it.
  std::optional<std::size_t> rank_of_counter(OutletId index) const {
    if (index == counter_) return 0;
    const TypedNode& maker = body_.node(index.node);
    if (!maker.op.as<Unsqueeze>() || maker.inputs[0] != counter_) return std::nullopt;
    const ShapeFact& shape = body_.fact(index).shape;
    if (shape.is_open() || shape.rank() != 1) return std::nullopt;
    return 1;
  }

  /// The first rows of `data`, as many as there are iterations, where it surely has as many.
  std::optional<OutletId> rows_read(OutletId data, std::size_t axis) {
    const ShapeFact& shape = edit_.patch().fact_of(data).shape;
    if (shape.is_open() || axis >= shape.rank()) return std::nullopt;
    const Dim extent = shape[axis];
    if (*trips_ == extent || *trips_ == max(extent, 0)) return data;
    const auto trips = trips_->constant(), size = extent.constant();
    if (!trips || !size || *trips > *size) return std::nullopt;
    Patch& patch = edit_.patch();
    return patch.wire_one(
        "rows", Slice{},
        {data, patch.constant("start", one_integer(0)), patch.constant("end", one_integer(*trips)),
         patch.constant("axis", one_integer(static_cast<std::int64_t>(axis)))});
  }

  bool scan(std::uint32_t id) {
    const TypedNode& node = body_.node(id);
    const Gather* gather = node.op.as<Gather>();
    if (!gather) return false;
    const auto index_rank = rank_of_counter(node.inputs[1]);
    const Fact data_fact = body_.fact(node.inputs[0]).without_value();
    if (!index_rank || data_fact.shape.is_open()) return false;
    const std::size_t axis = normalized_axis(gather->axis, data_fact.shape.rank());
    const auto data = edit_.outside(node.inputs[0]);
    const auto rows = data ? rows_read(*data, axis) : std::nullopt;
    if (!rows) return false;

    std::vector<Dim> dims = data_fact.shape.dims();
    dims[axis] = 1;
    const auto signed_axis = static_cast<std::int64_t>(axis);
    OutletId row =
        edit_.add_entry({LoopInput::Kind::scanned, signed_axis, 1, false}, *rows,
                        cat(node.name, ".row"), Fact::tensor(data_fact.dtype, std::move(dims)));
    TypedModel& body = edit_.changed_body();
    if (*index_rank == 0)
      row = body.wire_one(body.unique_name(cat(node.name, ".squeeze")), Squeeze{},
                          {row, body.constant(body.unique_name(cat(node.name, ".axis")),
                                              one_integer(signed_axis))});
    body.redirect({id, 0}, row);
    return true;
  }

  LoopEdit edit_;
  const TypedModel& body_;
  OutletId counter_;
  std::optional<Dim> trips_;  ///< at most; fewer only where a condition ends the loop
};

}  // namespace

/// Loop of n trips(Gather(x, iteration)) -> Loop(scanned x), for an invariant x of n rows, or of
/// more of which only n are read
Rewrite scan_by_counter(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !loop->numbered) return no_change;
  return CounterScanner(node, *loop).run();
}

}  // namespace strata
