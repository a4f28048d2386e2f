#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Infers again the facts of nodes that depend on `changed`, wires whose sizes have been renamed.
void infer_again(TypedModel& body, const OutletIds& changed);

}  // namespace strata
