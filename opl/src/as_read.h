#pragma once

#include "strata/core/typed_model.h"

namespace strata::opl {

/// The model with the ranks that whoever reads its text will know: those that follow from its
/// inputs, not those that were found from an output, which the text does not hold.
TypedModel as_read(const TypedModel& model);

}  // namespace strata::opl
