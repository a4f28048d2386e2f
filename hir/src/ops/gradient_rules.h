#pragma once

#include "strata/hir/builder.h"

/// The derivatives of core ops.
namespace strata::hir {

/// One node of a graph that is walked backward, and what is known of its output.
struct Differentiated {
  const TypedOp& op;
  const OutletIds& inputs;
  std::vector<bool> needed;  ///< the inputs whose gradients are asked for
  OutletId output;
  OutletId gradient;  ///< by the output, of its shape

  OutletId x() const { return inputs[0]; }
  OutletId y() const { return inputs[1]; }
};

/// The gradient by each needed input, in its shape; `kAbsent` where it is 0 everywhere. Throws:
/// unsupported for an op that has no rule.
OutletIds input_gradients(Builder& b, const Differentiated& node);

}  // namespace strata::hir
