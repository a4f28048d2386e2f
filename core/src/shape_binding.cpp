#include "shape_binding.h"

#include <algorithm>

#include "computable.h"

namespace strata {

SymbolBinding::SymbolBinding(const TypedModel& model) : model_(model) {
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!fact.is_tensor() || fact.shape.is_open()) continue;
    for (std::size_t axis = 0; axis < fact.shape.rank(); ++axis) {
      const std::string* name = fact.shape[axis].as_symbol();
      if (!name) {
        if (!fact.shape[axis].is_constant()) expressions_.push_back({i, axis});
        continue;
      }
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
  check_expressions(inputs);
}

/// Equal expressions must have equal sizes, even if they have a symbol that is no dim by itself.
void SymbolBinding::check_expressions(std::span<const Shape> inputs) const {
  for (const Expression& e : expressions_) {
    const std::int64_t size = inputs[e.input][e.axis];
    const Expression& first = *std::ranges::find_if(
        expressions_, [&](const Expression& other) { return size_of(other) == size_of(e); });
    const std::int64_t wanted =
        resolved(size_of(e), values_).value_or(inputs[first.input][first.axis]);
    require(size == wanted, ErrorKind::invalid_argument, "input ",
            in_quotes(model_.input_name(e.input)), " has the size ", size, " on axis ", e.axis,
            ", ", size_of(e), "=", wanted, " is wanted");
  }
}

bool SymbolBinding::learn(const ShapeFact& shape, const Shape& sizes) {
  if (shape.is_open() || shape.rank() != sizes.size()) return false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto known = resolved(shape[axis], values_);
    if (known && *known != sizes[axis]) return false;
    if (known) continue;
    const std::string* name = shape[axis].as_symbol();
    if (!name) return false;
    learned_.push_back(values_.emplace(*name, sizes[axis]).first);
  }
  return true;
}

std::optional<std::int64_t> resolved(const Dim& dim, const SymbolValues& symbols) {
  return if_computable([&] { return dim.evaluate(symbols); });
}

std::optional<Shape> resolved(const ShapeFact& shape, const SymbolValues& symbols) {
  if (shape.is_open()) return std::nullopt;
  Shape sizes;
  for (const Dim& dim : shape.dims()) {
    const auto size = resolved(dim, symbols);
    if (!size || *size < 0) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

bool fits(const ShapeFact& fact, const Shape& shape, const SymbolValues& symbols) {
  if (fact.is_open()) return true;
  return std::equal(fact.dims().begin(), fact.dims().end(), shape.begin(), shape.end(),
                    [&](const Dim& dim, std::int64_t size) {
                      return resolved(dim, symbols).value_or(size) == size;
                    });
}

ShapeFact sized(const ShapeFact& fact, const SymbolValues& symbols) {
  if (fact.is_open()) return fact;
  std::vector<Dim> dims = fact.dims();
  for (Dim& dim : dims)
    if (const auto size = resolved(dim, symbols)) dim = *size;
  return dims;
}

}  // namespace strata
