#include "ops/body_facts.h"

#include <algorithm>
#include <set>
#include <string>

namespace strata {
namespace {

using SymbolSet = std::set<std::string, std::less<>>;

void add_symbols(const Fact& fact, SymbolSet& out) {
  if (fact.element) add_symbols(*fact.element, out);
  if (!fact.is_tensor() || fact.shape.is_open()) return;
  for (const Dim& dim : fact.shape.dims())
    for (std::string& symbol : dim.symbols()) out.insert(std::move(symbol));
}

bool is_known_outside(const Dim& dim, const SymbolSet& outside) {
  const auto symbols = dim.symbols();
  return std::all_of(symbols.begin(), symbols.end(), [&](const std::string& s) {
    return outside.contains(s) || !SymbolScope::is_fresh_name(s);
  });
}

Fact renamed(const Fact& fact, const SymbolSet& outside) {
  Fact out = fact;
  out.value = fact.constant() ? fact.value : nullptr;
  if (fact.element) out.element = std::make_shared<const Fact>(renamed(*fact.element, outside));
  if (out.length && !is_known_outside(*out.length, outside)) out.length.reset();
  if (!fact.is_tensor() || fact.shape.is_open()) return out;
  std::vector<Dim> dims = fact.shape.dims();
  for (Dim& dim : dims)
    if (!is_known_outside(dim, outside)) dim = fresh_dim();
  out.shape = std::move(dims);
  return out;
}

}  // namespace

Fact outer_view(const Fact& fact, Facts outer_inputs) {
  SymbolSet outside;
  for (std::size_t i = 0; i < outer_inputs.size(); ++i) add_symbols(outer_inputs[i], outside);
  return renamed(fact, outside);
}

}  // namespace strata
