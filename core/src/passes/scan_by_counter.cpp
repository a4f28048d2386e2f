#include <map>

#include "computable.h"
#include "passes/loop_edit.h"
#include "passes/passes.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

Tensor one_integer(std::int64_t value) { return Tensor::of<std::int64_t>({1}, {value}); }

/// offset + i in iteration i, or offset - i.
struct Place {
  Dim offset = 0;
  bool is_backward = false;
  bool operator==(const Place&) const = default;
};

/// What a node reads in each iteration: one row of `data` along `axis`.
struct RowRead {
  OutletId data;  ///< in the body
  std::size_t axis;
  Place place;
  bool keeps_axis;
};

/// Turns reads by the number of the iteration into scanned inputs.
class CounterScanner {
 public:
  CounterScanner(const NodeView& node, const Loop& loop)
      : loop_(loop), edit_(node, loop), body_(*loop.body), counter_(body_.inputs()[0]) {
    Loop unconditional = loop;
    unconditional.condition.reset();
    trips_ = trips_of(node, unconditional);
  }

  Rewrite run() && {
    if (!trips_ || !scans_end_with_it()) return no_change;
    find_places();
    bool changed = false;
    for (const std::uint32_t id : body_.order()) changed |= scan(id);
    if (!changed) return no_change;
    return std::move(edit_).finish();
  }

 private:
  /// Whether all scanned inputs have as many slices as there are trips; otherwise they would not
  /// agree with a new scanned input.
  bool scans_end_with_it() const {
    for (std::size_t entry = 0; entry < loop_.inputs.size(); ++entry) {
      const LoopInput& input = loop_.inputs[entry];
      if (input.kind != LoopInput::Kind::scanned) continue;
      if (!has_a_slice_each(edit_.outer_fact(entry).shape, input, *trips_)) return false;
    }
    return true;
  }

  /// The rank of a tensor of one integer: 0 or 1.
  std::optional<std::size_t> rank_of_one(OutletId wire) const {
    const ShapeFact& shape = body_.fact(wire).shape;
    if (shape.is_open() || shape.rank() > 1) return std::nullopt;
    if (shape.rank() == 1 && shape[0] != Dim(1)) return std::nullopt;
    return shape.rank();
  }

  /// An integer that is the same in every iteration.
  std::optional<Dim> known(OutletId wire) {
    const auto outer = edit_.outside(wire);
    return outer ? only_dim(edit_.patch().fact_of(*outer)) : std::nullopt;
  }

  /// Notes each wire that is a place that moves with the number of the iteration.
  void find_places() {
    places_.emplace(counter_, Place{});
    for (const std::uint32_t id : body_.order())
      if (const auto place = made_place(id)) places_.emplace(OutletId{id, 0}, *place);
  }

  std::optional<Place> place_of(OutletId wire) const {
    const auto found = places_.find(wire);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The place that a node computes from its inputs.
  std::optional<Place> made_place(std::uint32_t id) {
    const TypedNode& maker = body_.node(id);
    if (maker.outputs.size() != 1 || !rank_of_one({id, 0})) return std::nullopt;
    if (maker.op.as<Unsqueeze>() || maker.op.as<Squeeze>() || maker.op.as<Reshape>())
      return place_of(maker.inputs[0]);
    const Binary* op = maker.op.as<Binary>();
    if (!op || (op->op != BinaryOp::add && op->op != BinaryOp::sub)) return std::nullopt;
    const bool is_sum = op->op == BinaryOp::add;
    if (const auto place = place_of(maker.inputs[0])) {
      const auto step = known(maker.inputs[1]);
      if (!step) return std::nullopt;
      return Place{is_sum ? place->offset + *step : place->offset - *step, place->is_backward};
    }
    const auto place = place_of(maker.inputs[1]);
    const auto start = place ? known(maker.inputs[0]) : std::nullopt;
    if (!start) return std::nullopt;
    if (is_sum) return Place{*start + place->offset, place->is_backward};
    return Place{*start - place->offset, !place->is_backward};
  }

  std::optional<RowRead> read_by_gather(const TypedNode& node, const Gather& gather) {
    const ShapeFact& shape = body_.fact(node.inputs[0]).shape;
    const auto place = place_of(node.inputs[1]);
    if (!place || shape.is_open()) return std::nullopt;
    const std::size_t axis = normalized_axis(gather.axis, shape.rank());
    RowRead read{node.inputs[0], axis, *place, rank_of_one(node.inputs[1]) == 1};
    const auto offset = place->offset.constant();
    if (offset && *offset < 0) {  // counted from the end
      if (!place->is_backward) return std::nullopt;
      read.place.offset = shape[axis] + *offset;
    }
    return read;
  }

  /// From place p to place p + 1.
  std::optional<RowRead> read_by_slice(const TypedNode& node) {
    const ShapeFact& shape = body_.fact(node.inputs[0]).shape;
    if (shape.is_open() || node.inputs.size() < 3) return std::nullopt;
    const auto integer = [&](std::size_t i, std::int64_t otherwise) -> std::optional<std::int64_t> {
      return i < node.inputs.size() ? only_integer(body_.fact(node.inputs[i])) : otherwise;
    };
    const auto axis = integer(3, 0), step = integer(4, 1);
    if (!axis || step != 1) return std::nullopt;
    const auto start = place_of(node.inputs[1]), end = place_of(node.inputs[2]);
    if (!start || !end || *end != Place{start->offset + 1, start->is_backward}) return std::nullopt;
    const auto offset = start->offset.constant();
    if (offset && *offset < 0) return std::nullopt;
    return RowRead{node.inputs[0], normalized_axis(*axis, shape.rank()), *start, true};
  }

  /// The rows of `data` that are read, as many as there are iterations, where it surely has them.
  std::optional<OutletId> rows_read(const RowRead& read, OutletId data) {
    const ShapeFact& shape = edit_.patch().fact_of(data).shape;
    if (shape.is_open() || read.axis >= shape.rank()) return std::nullopt;
    const Dim extent = shape[read.axis];
    const Dim trips = *trips_ == max(extent, 0) ? extent : *trips_;
    const Dim first = read.place.is_backward ? read.place.offset - trips + 1 : read.place.offset;
    if (first == Dim(0) && trips == extent) return data;
    const auto begin = first.constant(), count = trips.constant(), size = extent.constant();
    if (!begin || !count || !size || *begin < 0) return std::nullopt;
    if (*count > *size || *begin > *size - *count) return std::nullopt;
    Patch& patch = edit_.patch();
    return patch.wire_one("rows", Slice{},
                          {data, patch.constant("start", one_integer(*begin)),
                           patch.constant("end", one_integer(*begin + *count)),
                           patch.constant("axis", one_integer(signed_axis(read)))});
  }

  static std::int64_t signed_axis(const RowRead& read) {
    return static_cast<std::int64_t>(read.axis);
  }

  bool scan(std::uint32_t id) {
    const TypedNode& node = body_.node(id);
    std::optional<RowRead> read;
    if (const Gather* gather = node.op.as<Gather>())
      read = read_by_gather(node, *gather);
    else if (node.op.as<Slice>())
      read = read_by_slice(node);
    const auto data = read ? edit_.outside(read->data) : std::nullopt;
    const auto rows = data ? rows_read(*read, *data) : std::nullopt;
    if (!rows) return false;

    const Fact& whole = body_.fact(read->data);
    std::vector<Dim> dims = whole.shape.dims();
    dims[read->axis] = 1;
    OutletId row =
        edit_.add_entry({LoopInput::Kind::scanned, signed_axis(*read), 1, read->place.is_backward},
                        *rows, cat(node.name, ".row"), Fact::tensor(whole.dtype, std::move(dims)));
    TypedModel& body = edit_.changed_body();
    if (!read->keeps_axis)
      row = body.wire_one(body.unique_name(cat(node.name, ".squeeze")), Squeeze{},
                          {row, body.constant(body.unique_name(cat(node.name, ".axis")),
                                              one_integer(signed_axis(*read)))});
    body.redirect({id, 0}, row);
    return true;
  }

  const Loop& loop_;
  LoopEdit edit_;
  const TypedModel& body_;
  OutletId counter_;
  std::map<OutletId, Place> places_;
  std::optional<Dim> trips_;  ///< an upper bound; only a condition may end the loop earlier
};

}  // namespace

/// Loop of n trips(Gather(x, a + iteration)) -> Loop(scanned x[a .. a+n]), backward for
/// a - iteration, and so for Slice(x, p, p + 1); for an invariant x that surely has these rows
Rewrite scan_by_counter(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !loop->numbered) return no_change;
  // Places are sums that may leave the range of 64 bits.
  return if_computable([&]() -> Rewrite { return CounterScanner(node, *loop).run(); });
}

}  // namespace strata
