#pragma once

#include <optional>

#include "runner.h"
#include "strata/core/ops/loop.h"

namespace strata {

/// Runs a loop iteration by iteration on values: for bodies with values other than tensors, or of
/// sizes that only the data tell. `trips` bounds the iterations where it is known. Throws as the body
/// does, naming the iteration.
ValueList run_loop_on_values(const Loop& loop, Runner& body, RunContext& context, Values entries,
                             std::optional<std::int64_t> trips);

/// The stack of no iteration that output `output` is: extent 0 along the axis, and for sizes that
/// only an iteration would tell as well.
Tensor empty_stack(const Loop& loop, std::size_t output, Values entries);

}  // namespace strata
