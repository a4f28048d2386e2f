#include "keeps_state.h"

#include <algorithm>

namespace strata {

bool keeps_state(const TypedModel& model) {
  return std::ranges::any_of(model.nodes(), [](const TypedNode& node) {
    if (node.erased) return false;
    if (!node.op.has_bodies()) return node.op.is_stateful();
    return std::ranges::any_of(node.op.bodies(),
                               [](const Body& body) { return keeps_state(*body); });
  });
}

}  // namespace strata
