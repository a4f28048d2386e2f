#include "strata/hir/ops/loop.h"

#include "declared_parts.h"
#include "guarded_body.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/optional_get.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

constexpr std::size_t kTripCount = 0, kCondition = 1, kFirstValue = 2;  ///< inputs

using strata::LoopInput;
using strata::LoopOutput;

/// Gives body outputs from `first` on a leading axis, along which the loop stacks them.
void add_leading_axis(TypedModel& body, std::size_t first) {
  std::vector<GraphOutput> outputs = body.outputs();
  if (first == outputs.size()) return;
  const OutletId axes = body.constant("stack.axes", Tensor::of<std::int64_t>({1}, {0}));
  for (std::size_t i = first; i < outputs.size(); ++i)
    outputs[i].outlet =
        body.wire_one(cat(outputs[i].name, ".stacked"), Unsqueeze{}, {outputs[i].outlet, axes});
  body.set_outputs(std::move(outputs));
}

void drop_first_output(TypedModel& body) {
  body.set_outputs({body.outputs().begin() + 1, body.outputs().end()});
  body.remove_dead_nodes();
}

/// What the loop becomes, whether or not a condition is carried.
struct Expansion {
  LoopBody body;
  bool conditional;
  std::vector<Fact> facts;  ///< of what the body takes
};

/// Whether the body finds the same condition in every iteration, given one that stays true: its
/// shape may change after the first.
bool keeps_condition(const InferenceModel& body, const Fact& before, const Fact& after) {
  const OutletId condition = body.inputs()[kCondition];
  return before.shape == after.shape ||
         (body.successors(condition).empty() && !body.is_output(condition));
}

Expansion expand(const InferenceModel& body, std::vector<Fact> facts, std::size_t carried_values,
                 bool has_condition, const std::shared_ptr<SymbolScope>& symbols) {
  std::vector<std::size_t> carried;
  for (std::size_t k = 0; k < carried_values; ++k) carried.push_back(2 + k);
  if (!has_condition || facts[1].truth() == true) {
    // A condition that is left out is ignored; one that stays true need not be looked at.
    if (!has_condition) facts[1] = Fact::of(Tensor::scalar(true));
    LoopBody expanded = expand_loop_body(body, facts, carried, 1, symbols);
    const Fact& next = expanded.model.output_fact(0);
    if (!has_condition || (next.truth() == true && keeps_condition(body, facts[1], next))) {
      drop_first_output(expanded.model);
      return {std::move(expanded), false, std::move(facts)};
    }
  }
  carried.insert(carried.begin(), 1);
  LoopBody expanded = expand_loop_body(body, facts, carried, 0, symbols);
  return {std::move(expanded), true, std::move(facts)};
}

/// Whether it is known that there is no iteration.
bool never_runs(const Builder& b, const OutletIds& in) {
  const bool is_false = has(in, kCondition) && b.fact(in[kCondition]).truth() == false;
  if (is_false || !has(in, kTripCount)) return is_false;
  const auto trips = only_integer(b.fact(in[kTripCount]));
  return trips && *trips <= 0;
}

/// Of what the body takes: the number of the iteration, the condition and the values.
std::vector<Fact> entry_facts(const Builder& b, const OutletIds& in) {
  std::vector<Fact> facts{Fact::tensor(DatumType::i64, Shape{}),
                          has(in, kCondition) ? b.fact(in[kCondition]) : Fact()};
  for (std::size_t i = kFirstValue; i < in.size(); ++i) facts.push_back(b.fact(in[i]));
  return facts;
}

/// Gives the loop its entries, and returns what enters by them: the condition where it is carried,
/// and all values but captured ones that became constants of the body.
OutletIds add_entries(strata::Loop& loop, const OutletIds& in, const std::vector<Fact>& facts,
                      std::size_t carried) {
  OutletIds wires;
  if (loop.has_trip_count) wires.push_back(in[kTripCount]);
  for (std::size_t i = loop.condition ? kCondition : kFirstValue; i < in.size(); ++i) {
    const bool is_carried = i < kFirstValue + carried;
    if (!is_carried && facts[i].constant()) continue;
    loop.inputs.push_back({is_carried ? LoopInput::Kind::carried : LoopInput::Kind::invariant});
    wires.push_back(in[i]);
  }
  return wires;
}

/// Gives the loop its outputs: the last of each value from `first_value` on that is carried, and
/// what is stacked.
void add_outputs(strata::Loop& loop, TypedModel& body, std::size_t first_value,
                 std::size_t carried) {
  const std::size_t first_stacked = first_value + carried;
  check(body.outputs().size() >= first_stacked, "the body gives ",
        counted(body.outputs().size(), "value"), ", ", first_stacked, " are carried");
  add_leading_axis(body, first_stacked);
  for (std::size_t i = first_value; i < body.outputs().size(); ++i)
    loop.outputs.push_back({i < first_stacked ? LoopOutput::Kind::last : LoopOutput::Kind::stacked,
                            static_cast<std::int64_t>(i)});
}

}  // namespace

void Loop::rules(Rules& r) const {
  if (r.has_input(0)) r.require(r.input(0, "M").dtype == DatumType::i64);
  if (r.has_input(1)) r.require(r.input(1, "cond").dtype == DatumType::boolean);
  for (std::size_t k = 0; k < carried && k < r.output_count(); ++k) {
    const PortProxy initial = r.input(2 + k, "v_initial");
    // An optional may become what it holds, so nothing follows before the kind is known.
    if (initial.fact->kind && initial.fact->kind != ValueType::Kind::optional)
      r.require(type_equal(initial, r.output(k, "v_final")));
  }
}

OutletIds Loop::wire(Builder& b, const OutletIds& in) const {
  const std::vector<Fact> entries = entry_facts(b, in);
  check(body->inputs().size() == entries.size(), "the body takes ",
        counted(body->inputs().size(), "value"), ", ", entries.size(), " given");
  const auto expand_for = [&](const std::vector<Fact>& facts) {
    return expand(*body, facts, carried, has(in, kCondition), b.target().symbol_scope());
  };
  Expansion expansion = [&] {
    try {
      return never_runs(b, in) ? expand_unused(*body, entries, kFirstValue, expand_for)
                               : expand_for(entries);
    } catch (Error& error) {
      throw error.in("body");
    }
  }();
  strata::Loop loop;
  loop.has_trip_count = has(in, kTripCount);
  loop.numbered = true;
  if (expansion.conditional) loop.condition = 0;
  const OutletIds wires = add_entries(loop, in, expansion.facts, carried);
  const std::size_t first_value = expansion.conditional ? 1 : 0;
  add_outputs(loop, expansion.body.model, first_value, carried);
  loop.body = std::make_shared<TypedModel>(std::move(expansion.body.model));
  declare_parts(loop, *body, 1);
  OutletIds out = b.wire(loop, wires);
  for (const std::size_t value : expansion.body.wrapped) {
    OutletId& last = out[value - first_value];
    last = b.one(OptionalGet{}, {last});
  }
  return out;
}

}  // namespace strata::hir
