#pragma once

#include "ops/number_kinds.h"

/// Which numbers kernels compute on. Floats of 8 bits are stored and cast but seldom computed on,
/// and each of their five types would need a copy of every kernel: ops' own `eval` serves them.
namespace strata {

template <class T>
inline constexpr bool is_computed =
    std::is_arithmetic_v<T> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// Whether kernels compute on elements of the type, or tell whether they are true.
inline bool has_computed_numbers(DatumType type) {
  return kind_of(type) != NumberKind::none && !(is_float(type) && bit_width(type) == 8);
}

/// Like visit_kind, for types that `has_computed_numbers` holds for.
template <class Wide, class Visit>
void visit_computed(DatumType type, Visit&& visit) {
  visit_kind<Wide>(type, [&]<class T>(TypeTag<T> tag) {
    if constexpr (is_computed<T>) visit(tag);
  });
}

}  // namespace strata
