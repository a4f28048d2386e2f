#include "passes/own_symbols.h"

#include <algorithm>
#include <iterator>

#include "strata/core/fact_dims.h"

namespace strata {
namespace {

void add_fresh_symbols(const Fact& fact, SymbolSet& out) {
  for_each_dim(fact, [&](const Dim& dim) {
    for (const std::string& symbol : dim.symbols())
      if (SymbolScope::is_fresh_name(symbol)) out.insert(symbol);
  });
}

}  // namespace

SymbolSet own_symbols(const NodeView& node, std::initializer_list<const TypedModel*> bodies) {
  SymbolSet inside, outside, own;
  for (const TypedModel* body : bodies)
    for (const TypedNode& inner : body->nodes())
      for (const auto& outlet : inner.outputs) add_fresh_symbols(outlet.fact, inside);
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    add_fresh_symbols(node.input_fact(i), outside);
  std::set_difference(inside.begin(), inside.end(), outside.begin(), outside.end(),
                      std::inserter(own, own.end()));
  return own;
}

bool share_symbols(const SymbolSet& a, const SymbolSet& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& symbol) { return b.contains(symbol); });
}

}  // namespace strata
