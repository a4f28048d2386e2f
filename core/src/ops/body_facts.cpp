#include "ops/body_facts.h"

#include <algorithm>
#include <string>

#include "strata/core/fact_dims.h"

namespace strata {
namespace {

bool mentions(const Fact& fact, const std::string& symbol) {
  bool found = false;
  for_each_dim(fact, [&](const Dim& dim) {
    found = found || dim.any_symbol([&](const std::string& each) { return each == symbol; });
  });
  return found;
}

bool mention(Facts facts, const std::string& symbol) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (mentions(facts[i], symbol)) return true;
  return false;
}

/// Whether it is made of symbols that have a meaning outside of the body: those that came with the
/// model, and fresh ones of the outer inputs.
bool is_known_outside(const Dim& dim, Facts outer_inputs) {
  return !dim.any_symbol([&](const std::string& symbol) {
    return SymbolScope::is_fresh_name(symbol) && !mention(outer_inputs, symbol);
  });
}

/// With new symbols for dims that mean nothing outside.
ShapeFact renamed(const ShapeFact& shape, Facts outer_inputs) {
  const auto is_known = [&](const Dim& dim) { return is_known_outside(dim, outer_inputs); };
  const DimsView before = shape.dims();
  if (std::all_of(before.begin(), before.end(), is_known)) return shape;
  std::vector<Dim> dims = before;
  for (Dim& dim : dims)
    if (!is_known(dim)) dim = fresh_dim();
  return dims;
}

}  // namespace

Fact outer_view(const Fact& fact, Facts outer_inputs) {
  Fact out = fact;
  out.value = fact.constant() ? fact.value : nullptr;
  if (fact.element)
    out.element = std::make_shared<const Fact>(outer_view(*fact.element, outer_inputs));
  if (out.length && !is_known_outside(*out.length, outer_inputs)) out.length.reset();
  if (fact.is_tensor() && fact.shape.is_known()) out.shape = renamed(fact.shape, outer_inputs);
  return out;
}

void check_given(std::string_view tag, const TypedModel& body, std::size_t i, const Fact& given) {
  check(compatible(body.input_fact(i), given), tag, " input ", i, " of a body is ",
        body.input_fact(i).without_value(), ", ", given.without_value(), " given");
}

}  // namespace strata
