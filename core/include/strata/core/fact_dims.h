#pragma once

#include <functional>
#include <string_view>

#include "strata/core/fact.h"

namespace strata {

/// Calls `visit(dim)` for each size in a fact: of shapes, of lengths of sequences, and of the items
/// of sequences and optionals.
void for_each_dim(const Fact& fact, const std::function<void(const Dim&)>& visit);

/// Throws: invalid_argument for a negative size of an input, which was `before` until sizes of
/// symbols were given.
template <class Known>
void check_input_size(const Dim& size, std::string_view input, const Known& before) {
  require(size.constant().value_or(0) >= 0, ErrorKind::invalid_argument, "input ", in_quotes(input),
          " is ", before, ", of which a size would be ", size);
}

}  // namespace strata
