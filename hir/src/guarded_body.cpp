#include "guarded_body.h"

#include <algorithm>

namespace strata::hir {
namespace {

constexpr int kTriedAgain = 4;  ///< levels

bool nests_deeper(const InferenceModel& body, int levels) {
  const auto& nodes = body.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    const auto inner = node.op.bodies();
    return !inner.empty() &&
           (levels == 0 || std::any_of(inner.begin(), inner.end(), [&](const InferenceBody& each) {
              return nests_deeper(*each, levels - 1);
            }));
  });
}

}  // namespace

bool nests_deep(const InferenceModel& body) { return nests_deeper(body, kTriedAgain); }

std::vector<Fact> opened(std::vector<Fact> values, std::size_t first) {
  for (std::size_t i = first; i < values.size(); ++i)
    if (!values[i].constant()) values[i] = Fact::any(values[i].type());
  return values;
}

std::vector<Fact> unknown(std::vector<Fact> values, std::size_t first) {
  for (std::size_t i = first; i < values.size(); ++i) values[i] = Fact::any(values[i].type());
  return values;
}

}  // namespace strata::hir
