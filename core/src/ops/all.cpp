#include "strata/core/ops/all.h"

#include <algorithm>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/loop.h"
// One sorted include an op.

namespace strata {
namespace {

template <class Op>
constexpr OpEntry entry() {
  return {Op::name, [](const AttrList& attributes) { return TypedOp(op_from_attributes<Op>(attributes)); }};
}

// One sorted line an op.
constexpr OpEntry kOps[] = {
    entry<Concat>(),
    entry<If>(),
    entry<Loop>(),
};

}  // namespace

std::span<const OpEntry> core_ops() { return kOps; }

const OpEntry* find_core_op(std::string_view name) {
  const auto at = std::find_if(std::begin(kOps), std::end(kOps), [&](const OpEntry& e) { return e.name == name; });
  return at == std::end(kOps) ? nullptr : at;
}

}  // namespace strata
