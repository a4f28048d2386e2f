#pragma once

#include <optional>
#include <vector>

#include "strata/hir/inference_op.h"

namespace strata::tests {

/// Checks what `op` gives for these inputs (nothing for one that is left out) in all ways it can be
/// met: with the inputs known only when it runs and with all but the first constant, as it is
/// expanded and decluttered.
void check_inference_op(const hir::InferenceOp& op, const std::vector<std::optional<Value>>& inputs,
                        const ValueList& expected);

}  // namespace strata::tests
