#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Infers the facts of what depends on `changed`, the sizes of which are called otherwise now.
void infer_again(TypedModel& body, const OutletIds& changed);

}  // namespace strata
