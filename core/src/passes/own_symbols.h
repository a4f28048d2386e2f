#pragma once

#include <initializer_list>
#include <set>
#include <string>

#include "strata/core/typed_model.h"

namespace strata {

using SymbolSet = std::set<std::string, std::less<>>;

/// Fresh symbols within the bodies of a node that mean nothing outside.
SymbolSet own_symbols(const NodeView& node, std::initializer_list<const TypedModel*> bodies);

/// Whether a symbol is in both: bodies of copies of one node use it for different sizes, and cannot
/// become one body.
bool share_symbols(const SymbolSet& a, const SymbolSet& b);

}  // namespace strata
