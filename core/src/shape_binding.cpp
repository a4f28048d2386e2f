#include "shape_binding.h"

namespace strata {

SymbolValues bind_symbols(const TypedModel& model, std::span<const Shape> inputs) {
  SymbolValues bound;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!fact.is_tensor() || fact.shape.is_open()) continue;
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
      const Dim& dim = fact.shape[axis];
      if (dim.constant()) continue;
      const auto symbols = dim.symbols();
      if (symbols.size() != 1 || dim != Dim::symbol(symbols[0])) continue;
      const std::int64_t size = inputs[i][axis];
      const auto [at, is_new] = bound.emplace(symbols[0], size);
      require(at->second == size, ErrorKind::invalid_argument, "input ",
              in_quotes(model.input_name(i)), " has ", symbols[0], "=", size, " on axis ", axis,
              ", an input before it ", symbols[0], "=", at->second);
    }
  }
  return bound;
}

std::optional<Shape> resolved(const ShapeFact& shape, const SymbolValues& symbols) {
  if (shape.is_open()) return std::nullopt;
  Shape sizes;
  for (const Dim& dim : shape.dims()) {
    const auto size = dim.evaluate(symbols);
    if (!size || *size < 0) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

}  // namespace strata
