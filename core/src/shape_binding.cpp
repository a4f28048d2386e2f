#include "shape_binding.h"

namespace strata {

SymbolBinding::SymbolBinding(const TypedModel& model) : model_(model) {
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!fact.is_tensor() || fact.shape.is_open()) continue;
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
      const std::string* name = fact.shape[axis].as_symbol();
      if (!name) continue;
      const auto [symbol, is_first] = values_.emplace(*name, 0);
      places_.push_back({i, axis, symbol, is_first});
    }
  }
}

void SymbolBinding::bind(std::span<const Shape> inputs) {
  for (const auto symbol : learned_) values_.erase(symbol);
  learned_.clear();
  for (const Place& place : places_) {
    const std::int64_t size = inputs[place.input][place.axis];
    std::int64_t& value = place.symbol->second;
    if (place.is_first) value = size;
    require(value == size, ErrorKind::invalid_argument, "input ",
            in_quotes(model_.input_name(place.input)), " has ", place.symbol->first, "=", size,
            " on axis ", place.axis, ", an input before it ", place.symbol->first, "=", value);
  }
}

bool SymbolBinding::learn(const ShapeFact& shape, const Shape& sizes) {
  if (shape.is_open() || shape.rank() != sizes.size()) return false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto known = shape[axis].evaluate(values_);
    if (known && *known != sizes[axis]) return false;
    if (known) continue;
    const std::string* name = shape[axis].as_symbol();
    if (!name) return false;
    learned_.push_back(values_.emplace(*name, sizes[axis]).first);
  }
  return true;
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
