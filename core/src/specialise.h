#pragma once

#include <optional>
#include <span>

#include "strata/core/transform.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Whether `specialised` may be of use: the model has kernels already, keeps no state from run to
/// run, is no larger than what may be rewritten in passing, and its runs have the time for that.
bool may_specialise(const TypedModel& model, const Limits& limits = {});

/// What the model is lowered for; this machine where it is not.
Target target_of(const TypedModel& model);

/// The model for inputs of these shapes: facts worked out anew, in the bodies of Ifs as well, then
/// simplified and given kernels for the same target. Shares no symbol scope with the model, so that
/// other threads may do the same. Nothing when the shapes do not fit.
std::optional<TypedModel> specialised(const TypedModel& model, std::span<const Shape> inputs,
                                      const Limits& limits);

}  // namespace strata
