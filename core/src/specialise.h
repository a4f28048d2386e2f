#pragma once

#include <optional>
#include <span>

#include "strata/core/typed_model.h"

namespace strata {

/// Whether `specialised` may be of use: the model has kernels already, keeps no state from run to
/// run, is no larger than what may be rewritten in passing, and its runs have the time for that.
bool may_specialise(const TypedModel& model, const Limits& limits = {});

/// The model for inputs of these shapes: facts worked out anew, in the bodies of Ifs as well, then
/// simplified and given kernels. Shares no symbol scope with the model, so that other threads may
/// do the same. Nothing when the shapes do not fit.
std::optional<TypedModel> specialised(const TypedModel& model, std::span<const Shape> inputs,
                                      const Limits& limits);

}  // namespace strata
