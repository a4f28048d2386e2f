#pragma once

#include <span>
#include <string_view>

#include "strata/core/typed_op.h"

namespace strata {

/// An op by name, for formats that store ops as a name and attributes.
struct OpEntry {
  std::string_view name;
  TypedOp (*from_attributes)(const AttrList& attributes);
};

/// The entry of an op, also of one that is none of core's.
template <OpDef Op>
constexpr OpEntry op_entry() {
  return {Op::name,
          [](const AttrList& attributes) { return TypedOp(op_from_attributes<Op>(attributes)); }};
}

/// Every portable op of core, sorted by name.
std::span<const OpEntry> core_ops();
/// The entry named `name`, or null.
const OpEntry* find_core_op(std::string_view name);

}  // namespace strata
