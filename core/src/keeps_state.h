#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Whether any op, in a body or not, keeps state from one run to the next, as random draws do.
/// Control-flow ops themselves keep none.
bool keeps_state(const TypedModel& model);

}  // namespace strata
