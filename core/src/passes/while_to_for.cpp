#include <algorithm>
#include <limits>

#include "passes/loop_draft.h"
#include "passes/passes.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/select.h"

namespace strata {
namespace {

/// Bounds for steps and offsets, and kFar for starts: within these, a counter of 64 bits takes more
/// than 2^40 iterations to overflow.
constexpr std::int64_t kNear = std::int64_t{1} << 20;
constexpr std::int64_t kFar = std::int64_t{1} << 61;

bool is_within(std::int64_t value, std::int64_t bound) { return value > -bound && value < bound; }

bool is_one_integer(const Fact& fact) {
  return fact.is_tensor() && (fact.dtype == DatumType::i64 || fact.dtype == DatumType::i32) &&
         fact.shape.is_known() && fact.shape.volume() == Dim(1);
}

/// counter < bound, or <=, > or >=.
struct Comparison {
  OutletId counter, bound;
  bool is_upward = true;  ///< < or <=
  bool is_strict = true;  ///< < or >
};

std::optional<Comparison> comparison_of(const TypedNode& node) {
  const Binary* op = node.op.as<Binary>();
  if (!op) return std::nullopt;
  const bool is_upward = op->op == BinaryOp::less || op->op == BinaryOp::less_or_equal;
  const bool is_downward = op->op == BinaryOp::greater || op->op == BinaryOp::greater_or_equal;
  if (!is_upward && !is_downward) return std::nullopt;
  const bool is_strict = op->op == BinaryOp::less || op->op == BinaryOp::greater;
  return Comparison{node.inputs[0], node.inputs[1], is_upward, is_strict};
}

Comparison turned(const Comparison& comparison) {
  return {comparison.bound, comparison.counter, !comparison.is_upward, comparison.is_strict};
}

/// A wire of a body, as another wire plus a constant.
struct Sum {
  OutletId wire;
  std::int64_t offset = 0;
};

Sum sum_of(const TypedModel& body, OutletId wire) {
  Sum sum{wire};
  for (;;) {
    const TypedNode& node = body.node(sum.wire.node);
    const Binary* op = node.op.as<Binary>();
    if (!op || (op->op != BinaryOp::add && op->op != BinaryOp::sub)) return sum;
    const bool adds = op->op == BinaryOp::add;
    const std::size_t constant = adds && only_integer(body.fact(node.inputs[0])) ? 0 : 1;
    const auto value = only_integer(body.fact(node.inputs[constant]));
    if (!value || !is_within(*value, kNear)) return sum;
    sum = {node.inputs[1 - constant], sum.offset + (adds ? *value : -*value)};
    if (!is_within(sum.offset, kNear)) return {wire};
  }
}

/// The number compared after iteration n (from 0): before + step (n + 1), where `before` is a
/// constant or an outer wire.
struct Counter {
  std::int64_t step = 0;
  std::optional<std::int64_t> constant;
  OutletId before;
  bool is_wide = true;  ///< of 64 bits
};

/// Works out the trips of a loop that a counter ends.
class TripCounter {
 public:
  TripCounter(const NodeView& node, const Loop& loop)
      : node_(node), patch_(node), draft_(node, loop) {}

  Rewrite run() && {
    if (!draft_.may_end_by_count() || !find()) return no_change;
    const LoopDraft::Entry& condition = draft_.entries[*draft_.condition];
    const auto first = entered(condition.outer);
    if (!is_exact(first)) return no_change;
    draft_.end_by_count(patch_, trips_wire(first, condition.outer));
    return std::move(draft_).finish(std::move(patch_));
  }

 private:
  /// How the first iteration is decided.
  enum class First { always, compared, unknown };

  /// Finds the comparison, its counter and its bound.
  bool find() {
    const LoopDraft::Entry& condition = draft_.entries[*draft_.condition];
    const TypedNode* node = &draft_.body->node(condition.next.outlet.node);
    // In an iteration that runs, the condition it began with is true.
    const Binary* op = node->op.as<Binary>();
    if (op && op->op == BinaryOp::truth_and)
      for (const std::size_t i : {0, 1})
        if (node->inputs[i] == condition.source) {
          node = &draft_.body->node(node->inputs[1 - i].node);
          break;
        }
    const auto found = comparison_of(*node);
    return found && (match(*found) || match(turned(*found)));
  }

  bool match(const Comparison& comparison) {
    const auto counter = counter_of(comparison.counter);
    if (!counter || (counter->step > 0) != comparison.is_upward) return false;
    const auto bound = outside(comparison.bound);
    if (!bound || !is_one_integer(patch_.fact_of(*bound))) return false;
    comparison_ = comparison;
    counter_ = *counter;
    bound_ = *bound;
    return true;
  }

  std::optional<Counter> counter_of(OutletId wire) const {
    const Sum sum = sum_of(*draft_.body, wire);
    if (!draft_.number.is_absent() && sum.wire == draft_.number)
      return Counter{1, sum.offset - 1, kAbsent, true};
    for (const std::size_t i : draft_.carried()) {
      const LoopDraft::Entry& entry = draft_.entries[i];
      if (entry.source != sum.wire) continue;
      const Sum next = sum_of(*draft_.body, entry.next.outlet);
      const Fact& start = node_.model.fact(entry.outer);
      if (next.wire != entry.source || next.offset == 0 || !is_one_integer(start))
        return std::nullopt;
      Counter counter{next.offset, only_integer(start), entry.outer, start.dtype == DatumType::i64};
      const std::int64_t offset = sum.offset - next.offset;
      if (counter.constant && !is_within(*counter.constant, kFar)) return std::nullopt;
      if (!counter.constant && offset != 0) return std::nullopt;
      if (counter.constant) *counter.constant += offset;
      return counter;
    }
    return std::nullopt;
  }

  std::optional<OutletId> outside(OutletId wire) {
    const TypedNode& node = draft_.body->node(wire.node);
    if (const Const* constant = node.op.as<Const>())
      return patch_.constant("bound", constant->value);
    for (const LoopDraft::Entry& entry : draft_.entries)
      if (entry.source == wire && entry.input.kind == LoopInput::Kind::invariant)
        return entry.outer;
    return std::nullopt;
  }

  bool is_same(OutletId a, OutletId b) const {
    if (a == b) return true;
    const auto known = only_integer(patch_.fact_of(a));
    return known && known == only_integer(patch_.fact_of(b));
  }

  First entered(OutletId condition) const {
    if (node_.model.fact(condition).truth() == true) return First::always;
    auto compared = comparison_of(node_.model.node(condition.node));
    if (compared && compared->is_upward != comparison_.is_upward) compared = turned(*compared);
    if (!compared || compared->is_upward != comparison_.is_upward ||
        compared->is_strict != comparison_.is_strict || !is_same(compared->bound, bound_))
      return First::unknown;
    const bool is_start =
        counter_.constant ? only_integer(node_.model.fact(compared->counter)) == counter_.constant
                          : compared->counter == counter_.before;
    return is_start ? First::compared : First::unknown;
  }

  /// Whether the counter stays within its type until it meets the bound.
  bool is_exact(First first) const {
    const bool meets_bound = comparison_.is_strict && (counter_.step == 1 || counter_.step == -1);
    if (!counter_.constant) return meets_bound && first == First::compared;
    const auto bound = only_integer(patch_.fact_of(bound_));
    if (counter_.is_wide) return !bound || is_within(*bound, kFar);
    const auto fits = [](std::int64_t value) {
      return value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max();
    };
    if (!fits(*counter_.constant) || !fits(*counter_.constant + counter_.step)) return false;
    return bound ? fits(*bound + counter_.step) : meets_bound;
  }

  OutletId integer(std::int64_t value) { return patch_.constant("count", Tensor::scalar(value)); }
  OutletId wire(BinaryOp op, OutletId a, OutletId b) {
    return patch_.wire_one("trips", Binary{op}, {a, b});
  }
  OutletId wide(OutletId wire) {
    if (patch_.fact_of(wire).dtype == DatumType::i64) return wire;
    return patch_.wire_one("wide", Cast{DatumType::i64}, {wire});
  }

  /// ceil((bound - before) / step), or any number below 1 if that is below 1.
  OutletId known_start_trips() {
    const std::int64_t step = counter_.step > 0 ? counter_.step : -counter_.step;
    const std::int64_t reach = comparison_.is_strict ? 0 : 1;
    const std::int64_t from = *counter_.constant + (counter_.step > 0 ? -reach : reach);
    OutletId bound = wide(bound_);
    if (step == 1 && counter_.step > 0 && from == 0) return bound;
    // Sizes and integers of 32 bits are small; others are clamped so that the difference does not
    // overflow.
    if (counter_.is_wide && !node_knows(bound))
      bound =
          wire(BinaryOp::min, wire(BinaryOp::max, bound, integer(-2 * kFar)), integer(2 * kFar));
    const OutletId distance = counter_.step > 0 ? wire(BinaryOp::sub, bound, integer(from))
                                                : wire(BinaryOp::sub, integer(from), bound);
    if (step == 1) return distance;
    const OutletId ahead = wire(BinaryOp::max, distance, integer(0));
    return wire(BinaryOp::div, wire(BinaryOp::add, ahead, integer(step - 1)), integer(step));
  }
  bool node_knows(OutletId wire) const { return patch_.fact_of(wire).dims().has_value(); }

  /// |bound - start| if the loop is entered, or the greatest integer if that overflows; otherwise
  /// 0.
  OutletId unknown_start_trips(OutletId condition) {
    OutletId bound = wide(bound_), start = wide(counter_.before);
    if (counter_.step < 0) std::swap(bound, start);
    const OutletId distance = wire(BinaryOp::sub, bound, start);
    if (!counter_.is_wide || (node_knows(bound) && node_knows(start))) return distance;
    const OutletId wrapped = wire(BinaryOp::less, distance, integer(0));
    const OutletId most = integer(std::numeric_limits<std::int64_t>::max());
    const OutletId far = patch_.wire_one("far", Select{}, {wrapped, most, distance});
    return patch_.wire_one("entered", Select{}, {condition, far, integer(0)});
  }

  OutletId trips_wire(First first, OutletId condition) {
    if (!counter_.constant) return unknown_start_trips(condition);
    const OutletId trips = known_start_trips();
    if (first == First::compared) return trips;
    const OutletId once = wire(BinaryOp::max, trips, integer(1));
    if (first == First::always) return once;
    return patch_.wire_one("entered", Select{}, {condition, once, integer(0)});
  }

  const NodeView node_;
  Patch patch_;
  LoopDraft draft_;
  Comparison comparison_;
  Counter counter_;
  OutletId bound_;
};

}  // namespace

/// Loop while c, where c = (i < n) and i = i + s  ->  Loop of ceil((n - i) / s) trips, for
/// integers i that stay within their type; the same of >, <= and >=
Rewrite while_to_for(const NodeView& node, const Limits&) {
  const Loop* loop = node.op().as<Loop>();
  if (!loop || !loop->condition) return no_change;
  return TripCounter(node, *loop).run();
}

}  // namespace strata
