#include "strata/hir/body.h"

#include <algorithm>

#include "strata/core/ops/optional_of.h"
#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

Fact without_values(const Fact& fact) {
  Fact out = fact.without_value();
  out.length.reset();
  return out;
}

/// Widens `fact` until it also holds for `update`; `varying[axis]` notes the sizes that are open
/// already. Returns whether it changed.
bool widen(Fact& fact, const Fact& update, std::vector<bool>& varying) {
  check(fact.type() == update.type(), "a carried value is ", fact.type(), " before and ",
        update.type(), " after an iteration");
  if (!fact.is_tensor()) {
    std::vector<bool> inner_varying;
    Fact inner = *fact.element;
    const bool is_settled = inner.is_tensor() && inner.shape.is_open();
    if (is_settled || !widen(inner, *update.element, inner_varying)) return false;
    // The items of a growing container may change in ways that sizes cannot express, so their shape
    // is left open.
    fact.element = std::make_shared<const Fact>(Fact::any(inner.type()));
    return true;
  }
  if (fact.shape.is_open()) return false;
  if (update.shape.is_open() || update.shape.rank() != fact.shape.rank()) {
    fact.shape = ShapeFact::open();
    return true;
  }
  std::vector<Dim> dims = fact.shape.dims();
  varying.resize(dims.size(), false);
  bool changed = false;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (varying[axis] || dims[axis] == update.shape[axis]) continue;
    dims[axis] = fresh_dim();
    varying[axis] = changed = true;
  }
  fact.shape = std::move(dims);
  return changed;
}

/// Rounds in which only those sizes of carried values become symbols that were seen to vary. A size
/// that depends on another one is found a round later.
constexpr int kPatience = 8;

/// Leaves the sizes of a tensor open, or its rank as well.
void open_sizes(Fact& fact, bool is_rank_open) {
  if (!fact.is_tensor() || fact.shape.is_open()) return;
  fact.shape = is_rank_open ? ShapeFact::open() : fresh_shape(fact.shape.rank());
}

bool is_optional_of(const Fact& optional, const Fact& held) {
  return optional.kind == ValueType::Kind::optional && optional.element->type() == held.type();
}

void wrap_output(TypedModel& body, std::size_t i) {
  std::vector<GraphOutput> outputs = body.outputs();
  outputs[i].outlet =
      body.wire_one(cat(outputs[i].name, ".optional"), OptionalOf{}, {outputs[i].outlet});
  body.set_outputs(std::move(outputs));
}

}  // namespace

TypedModel expand_body(const InferenceModel& body, const std::vector<Fact>& inputs,
                       std::shared_ptr<SymbolScope> symbols) {
  require(inputs.size() == body.inputs().size(), ErrorKind::invalid_model, "the body takes ",
          counted(body.inputs().size(), "value"), ", ", inputs.size(), " given");
  return body.expand(inputs, std::move(symbols));
}

LoopBody expand_loop_body(const InferenceModel& body, std::vector<Fact> inputs,
                          const std::vector<std::size_t>& carried, std::size_t first_output,
                          const std::shared_ptr<SymbolScope>& symbols) {
  for (const std::size_t i : carried) inputs[i] = without_values(inputs[i]);
  std::vector<std::vector<bool>> varying(carried.size());
  for (int round = 1;; ++round) {
    if (round % kPatience == 0) {
      const FreshSymbols fresh(*symbols);
      for (const std::size_t i : carried) open_sizes(inputs[i], round > kPatience);
    }
    TypedModel model = expand_body(body, inputs, symbols);
    bool changed = false;
    std::vector<std::size_t> wrapped;
    const FreshSymbols fresh(*symbols);
    for (std::size_t k = 0; k < carried.size(); ++k) {
      Fact& fact = inputs[carried[k]];
      if (is_optional_of(fact, model.output_fact(first_output + k))) {
        wrap_output(model, first_output + k);
        wrapped.push_back(k);
      }
      changed |= widen(fact, model.output_fact(first_output + k), varying[k]);
    }
    if (!changed) return {std::move(model), std::move(inputs), std::move(wrapped)};
  }
}

}  // namespace strata::hir
