#pragma once

#include "strata/core/typed_model.h"

namespace strata::opl {

/// The model with the facts that a reader of its text will infer: what follows from its inputs, but
/// not what was found from an output, which the text does not state.
TypedModel as_read(const TypedModel& model);

}  // namespace strata::opl
