#pragma once

#include <optional>

#include "runner.h"
#include "strata/core/ops/loop.h"

namespace strata {

/// Runs a loop iteration by iteration on values: for bodies with values other than tensors, or of
/// sizes that only the data tell. `trips` bounds the iterations where it is known. Throws as the
/// body does, naming the iteration.
ValueList run_loop_on_values(const Loop& loop, Runner& body, RunContext& context, Values entries,
                             std::optional<std::int64_t> trips);

/// The error as one of iteration `n`. Values that do not fit are the caller's mistake in a model,
/// and the data's in a body.
Error& in_iteration(Error& error, std::int64_t n);

/// The shape of a stack of no iteration where the rank of its parts is unknown: as declared, and 0
/// where nothing is.
Shape empty_open_stack(const LoopOutput& stack);

/// The stack of no iteration that output `output` is: extent 0 along the axis; sizes that only an
/// iteration would tell are as declared, and 0 where nothing is.
Tensor empty_stack(const Loop& loop, std::size_t output, Values entries);

}  // namespace strata
