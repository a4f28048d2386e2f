#pragma once

#include "strata/core/ops/loop.h"
#include "strata/hir/inference_model.h"

/// What models declare of the sizes of stacks. It binds nothing that the body makes, but a loop of
/// no iteration has nothing else to go by.
namespace strata::hir {

/// Records in the stacked outputs of the loop the sizes that `body` declares for their elements:
/// output k of the loop is of output `k + skipped` of the body.
void declare_parts(strata::Loop& loop, const InferenceModel& body, std::size_t skipped);

/// The same with the sizes known of `stack`, if it is an output of a loop.
void declare_parts(TypedModel& model, OutletId stack);

}  // namespace strata::hir
