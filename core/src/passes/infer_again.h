#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Infers the facts of what depends on `changed`, whose sizes now have other names.
void infer_again(TypedModel& body, const OutletIds& changed);

}  // namespace strata
