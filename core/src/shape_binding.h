#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "strata/core/typed_model.h"

namespace strata {

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// The sizes of the symbols that stand alone as dims of graph inputs, for inputs of these shapes
/// (those of inputs other than tensors are not looked at). Throws: invalid_argument when one symbol
/// would have two sizes.
SymbolValues bind_symbols(const TypedModel& model, std::span<const Shape> inputs);

/// The shape for these sizes; nothing when that is not known, or a dim negative.
std::optional<Shape> resolved(const ShapeFact& shape, const SymbolValues& symbols);

}  // namespace strata
