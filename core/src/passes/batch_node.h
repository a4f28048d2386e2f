#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "strata/core/patch.h"

namespace strata {

/// How the value of one iteration is a part of the value of all iterations, whose axis 0 counts
/// them.
enum class RowForm {
  kept,      ///< axis 0 of the value has size 1, and becomes that of the iterations
  squeezed,  ///< the value lacks the axis of the iterations
};

/// What a node of a loop's body reads, as a wire outside the loop.
struct BatchOperand {
  OutletId wire;            ///< absent where the node has no such input
  bool is_batched = false;  ///< it holds all iterations at once; else it is the same in each
};

/// A node computed for all iterations at once.
struct BatchResult {
  OutletIds wires;
  RowForm form = RowForm::squeezed;
  bool is_alias = false;  ///< merely another form of its operand
};

/// Adds to `patch` nodes that compute `node`, of `body`, for all iterations at once, however many
/// they are. Nothing if the op is not known to treat rows independently, or if its result is larger
/// than its operands and it is not a product or look-up.
std::optional<BatchResult> batch_node(Patch& patch, const TypedModel& body, const TypedNode& node,
                                      const std::vector<BatchOperand>& operands, RowForm form);

/// `wire` with an axis of size 1 at `axis`, or without it.
OutletId with_axis(Wiring& wiring, std::string_view name, OutletId wire, std::int64_t axis);
OutletId without_axis(Wiring& wiring, std::string_view name, OutletId wire, std::int64_t axis);

}  // namespace strata
