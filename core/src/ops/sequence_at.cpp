#include "strata/core/ops/sequence_at.h"

#include "ops/sequence_support.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

/// A fresh symbol of the items stands for the size of any of them, and they may differ.
Fact any_item(const Fact& element) {
  Fact out = element.without_value();
  if (!out.is_tensor() || out.shape.is_open()) return out;
  std::vector<Dim> dims = out.shape.dims();
  for (Dim& dim : dims)
    if (dim.any_symbol(SymbolScope::is_fresh_name)) dim = fresh_dim();
  out.shape = std::move(dims);
  return out;
}

}  // namespace

FactList SequenceAt::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  check_sequence(in[0]);
  check_position(in[1], "(C2)");
  return {any_item(*in[0].element)};
}

ValueList SequenceAt::eval(Values in) const {
  const Sequence& sequence = in[0].sequence();
  return {sequence.items[place_of(in[1], length_of(sequence), length_of(sequence), "(C3)")]};
}

/// SequenceAt(SequenceConstruct(x_0, ..), i)   ->  x_i
Rewrite SequenceAt::declutter(const NodeView& node) const {
  const auto position = only_integer(node.input_fact(1));
  if (!position || !node.producer_as<SequenceConstruct>(0)) return no_change;
  const OutletIds& items = node.producer(0).inputs();
  const auto length = static_cast<std::int64_t>(items.size());
  const std::int64_t at = *position < 0 ? *position + length : *position;
  if (at < 0 || at >= length) return no_change;
  return bypass(node, items[static_cast<std::size_t>(at)]);
}

}  // namespace strata
