#pragma once

#include <optional>
#include <span>

#include "strata/core/transform.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Whether `specialised` may be of use: the model has kernels already, keeps no state from run to
/// run, and is small enough, and its time limit long enough, to rewrite it during a run.
bool may_specialise(const TypedModel& model, const Limits& limits = {});

/// The target that the model is lowered for; this machine if it is not lowered.
Target target_of(const TypedModel& model);

/// The model for inputs of these shapes: facts are inferred again, also in bodies, and the
/// result is simplified and lowered for the same target. It has a symbol scope of its own, so
/// that other threads may do the same. Nothing if the shapes do not fit.
std::optional<TypedModel> specialised(const TypedModel& model, std::span<const Shape> inputs,
                                      const Limits& limits);

/// The body, with symbols for sizes of its inputs that are expressions over symbols which no size
/// tells, so that all sizes in it follow from those of its inputs: a loop on a map of
/// [N,floor_div(H,2)] never sees H. The body itself where there are none, or hundreds.
Body with_sizes_told(const Body& body);

}  // namespace strata
