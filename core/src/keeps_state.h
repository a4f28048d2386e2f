#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Whether an op, in a body or not, keeps something from one run to the next, as draws of one seed
/// do. What runs bodies keeps nothing but what is in them.
bool keeps_state(const TypedModel& model);

}  // namespace strata
