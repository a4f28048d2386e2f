#pragma once

#include "strata/core/typed_model.h"

namespace strata::opl {

/// The model with the ranks, sizes and values that a reader of its text will infer: those that
/// follow from its inputs, but not those found from an output, which the text does not state.
TypedModel as_read(const TypedModel& model);

}  // namespace strata::opl
