#include "strata/core/only_number.h"

namespace strata {
namespace {

template <class List>
auto only(const std::optional<List>& elements) {
  return elements && elements->size() == 1 ? std::optional(elements->front()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> only_integer(const Fact& fact) { return only(fact.integers()); }
std::optional<Dim> only_dim(const Fact& fact) { return only(fact.dims()); }

}  // namespace strata
