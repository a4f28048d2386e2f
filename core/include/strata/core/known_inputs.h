#pragma once

#include <span>

#include "strata/core/typed_model.h"

namespace strata {

/// A body whose inputs hold sizes that are known outside: the values of `outer`, one fact for each
/// input, where they are made of symbols. What follows is inferred again; `body` itself where
/// nothing does, or where the sizes do not fit, for it may never run.
///
/// The facts must hold whenever the body runs, as those of what a branch captures do, or of what a
/// loop reads in every iteration. An absent fact, or one without such a value, tells nothing.
Body with_known_inputs(const Body& body, std::span<const Fact* const> outer);

}  // namespace strata
