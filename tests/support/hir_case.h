#pragma once

#include <optional>
#include <vector>

#include "strata/hir/inference_op.h"

namespace strata::tests {

/// What an op does with inputs of which only the element types are declared.
enum class Undeclared { right_or_refused, right, unspecified };

/// Checks what `op` gives for these inputs (nothing for one that is left out) in all ways it can be
/// met: with the inputs known only when it runs, with all but the first constant, and without a
/// shape declared; as it is expanded and decluttered.
void check_inference_op(const hir::InferenceOp& op, const std::vector<std::optional<Value>>& inputs,
                        const ValueList& expected,
                        Undeclared undeclared = Undeclared::right_or_refused);

}  // namespace strata::tests
