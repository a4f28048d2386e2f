#pragma once

#include <span>

#include "strata/core/typed_model.h"

namespace strata {

/// A body in which the values of inputs that hold symbolic sizes, known outside, are known as well:
/// those in `outer`, which has one fact for each input. Facts that depend on them are inferred
/// again. Returns `body` itself if nothing changes, or if the sizes do not fit, since it may never
/// run.
///
/// The facts must hold whenever the body runs, as those of captured values of a branch or invariant
/// inputs of a loop do. A null fact, or one without such a value, is ignored.
Body with_known_inputs(const Body& body, std::span<const Fact* const> outer);

}  // namespace strata
