#include "strata/hir/ops/loop.h"

#include "declared_parts.h"
#include "strata/core/ops/loop.h"
#include "strata/core/ops/optional_get.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

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

bool is_constant_true(const Fact& fact) {
  const Tensor* value = fact.constant();
  return value && value->dtype() == DatumType::boolean && value->size() == 1 &&
         value->as<bool>()[0];
}

/// What the loop becomes, whether or not a condition is carried.
struct Expansion {
  LoopBody body;
  bool conditional;
};

Expansion expand(const InferenceModel& body, std::vector<Fact> facts, std::size_t carried_values,
                 bool has_condition, const std::shared_ptr<SymbolScope>& symbols) {
  std::vector<std::size_t> carried;
  for (std::size_t k = 0; k < carried_values; ++k) carried.push_back(2 + k);
  if (!has_condition || is_constant_true(facts[1])) {
    // A condition that is left out is ignored; one that stays true need not be looked at.
    facts[1] = Fact::of(Tensor::scalar(true));
    LoopBody expanded = expand_loop_body(body, facts, carried, 1, symbols);
    if (!has_condition || is_constant_true(expanded.model.output_fact(0))) {
      drop_first_output(expanded.model);
      return {std::move(expanded), false};
    }
  }
  carried.insert(carried.begin(), 1);
  return {expand_loop_body(body, std::move(facts), carried, 0, symbols), true};
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
  const bool has_condition = has(in, 1);
  std::vector<Fact> facts{Fact::tensor(DatumType::i64, Shape{}),
                          has_condition ? b.fact(in[1]) : Fact()};
  for (std::size_t i = 2; i < in.size(); ++i) facts.push_back(b.fact(in[i]));
  check(body->inputs().size() == facts.size(), "the body takes ", body->inputs().size(),
        " values, ", facts.size(), " given");
  Expansion expansion = [&] {
    try {
      return expand(*body, facts, carried, has_condition, b.target().symbol_scope());
    } catch (Error& error) {
      throw error.in("body");
    }
  }();
  TypedModel& model = expansion.body.model;

  strata::Loop loop;
  loop.has_trip_count = has(in, 0);
  loop.numbered = true;
  OutletIds wires;
  if (loop.has_trip_count) wires.push_back(in[0]);
  const std::size_t first_value = expansion.conditional ? 1 : 0;
  if (expansion.conditional) loop.condition = 0;
  for (std::size_t i = 2 - first_value; i < in.size(); ++i) {
    const bool is_carried = i < 2 + carried;
    if (!is_carried && facts[i].constant()) continue;  // became a constant of the body
    loop.inputs.push_back({is_carried ? LoopInput::Kind::carried : LoopInput::Kind::invariant});
    wires.push_back(in[i]);
  }
  const std::size_t first_stacked = first_value + carried;
  check(model.outputs().size() >= first_stacked, "the body gives ", model.outputs().size(),
        " values, ", first_stacked, " are carried");
  add_leading_axis(model, first_stacked);
  for (std::size_t k = 0; k < carried; ++k)
    loop.outputs.push_back({LoopOutput::Kind::last, static_cast<std::int64_t>(first_value + k)});
  for (std::size_t i = first_stacked; i < model.outputs().size(); ++i)
    loop.outputs.push_back({LoopOutput::Kind::stacked, static_cast<std::int64_t>(i)});
  loop.body = std::make_shared<TypedModel>(std::move(model));
  for (std::size_t k = carried; k < loop.outputs.size(); ++k) declare_parts(loop, k, *body, 1 + k);
  OutletIds out = b.wire(loop, wires);
  for (const std::size_t value : expansion.body.wrapped) {
    OutletId& last = out[value - first_value];
    last = b.one(OptionalGet{}, {last});
  }
  return out;
}

}  // namespace strata::hir
