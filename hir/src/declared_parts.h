#pragma once

#include "strata/core/ops/loop.h"
#include "strata/hir/inference_model.h"

/// What models declare of the sizes of stacks. It binds nothing that the body makes, but a loop of
/// no iteration has nothing else to go by.
namespace strata::hir {

/// Notes in stacked output `output` of the loop what `body` declares of its output `of_body`, an
/// element of the stack.
void declare_parts(strata::Loop& loop, std::size_t output, const InferenceModel& body,
                   std::size_t of_body);

/// The same from what is known of `stack`, where a loop gives that.
void declare_parts(TypedModel& model, OutletId stack);

}  // namespace strata::hir
