#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// The facts of a node's outputs, as a node that takes its place is wired with.
FactList facts_of(const TypedNode& node);

/// What holds of output `slot` of a node, of which the model says `said` and the op infers `found`.
/// Throws: invalid_model when the two contradict each other.
Fact agreed_fact(std::uint32_t slot, const Fact& said, const Fact& found);

}  // namespace strata
