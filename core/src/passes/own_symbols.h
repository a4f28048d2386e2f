#pragma once

#include <initializer_list>
#include <set>
#include <string>

#include "strata/core/typed_model.h"

namespace strata {

using SymbolSet = std::set<std::string, std::less<>>;

/// Fresh symbols within the bodies of a node that mean nothing outside.
SymbolSet own_symbols(const NodeView& node, std::initializer_list<const TypedModel*> bodies);

/// Whether one symbol is in both: bodies of copies of one node name different sizes by it, and cannot become one body.
bool share_symbols(const SymbolSet& a, const SymbolSet& b);

}  // namespace strata
