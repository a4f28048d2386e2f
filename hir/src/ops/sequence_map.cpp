#include "strata/hir/ops/sequence_map.h"

#include "inline_model.h"
#include "loop_builder.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

/// What the body gives for these values.
OutletIds results_of(const InferenceModel& body, Builder& step, const OutletIds& values) {
  std::vector<Fact> facts;
  OutletIds passed;  // constants become those of the body
  for (const OutletId value : values) {
    facts.push_back(step.fact(value));
    if (!facts.back().constant()) passed.push_back(value);
  }
  try {
    return inline_model(step, expand_body(body, facts, step.target().symbol_scope()), passed,
                        "body");
  } catch (Error& error) {
    throw error.in("body");
  }
}

}  // namespace

/// A Loop over the length of the first sequence, which carries the sequences that it makes.
OutletIds SequenceMap::wire(Builder& b, const OutletIds& in) const {
  const auto is_sequence = [&](OutletId wire) {
    return b.fact(wire).kind == ValueType::Kind::sequence;
  };
  check(is_sequence(in[0]), "the first input is a ", b.fact(in[0]).type(), ", no sequence");
  LoopBuilder loop(b);
  loop.trips(b.one(SequenceLength{}, {in[0]}));
  Builder& step = loop.body();
  const OutletId n = loop.iteration();
  OutletIds values;
  for (std::size_t i = 0; i < in.size(); ++i) {
    values.push_back(loop.invariant("value", in[i]));
    if (i + captures < in.size() && is_sequence(in[i]))
      values.back() = step.one(SequenceAt{}, {values.back(), n});
  }
  OutletIds next;
  for (const OutletId result : results_of(*body, step, values)) {
    const ValueType item = step.fact(result).type();
    const OutletId made =
        loop.carried("made", b.constant(Sequence{item, {}}), Fact::sequence(Fact::any(item)));
    next.push_back(step.one(SequenceInsert{}, {made, result}));
  }
  return loop.wire(next, {});
}

}  // namespace strata::hir
