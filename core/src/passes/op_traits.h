#pragma once

#include "strata/core/typed_model.h"

namespace strata {

/// Whether an op computes each element of its output from those at the same place of its inputs.
bool is_elementwise(const TypedOp& op);
/// Whether the facts show that the node gives a result whatever its inputs hold; only some ops are
/// known to do so.
bool never_fails(const TypedModel& model, const TypedNode& node);

}  // namespace strata
