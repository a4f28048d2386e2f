#pragma once

#include <string_view>
#include <vector>

#include "strata/opl/ast.h"

/// Fragments that stand for several others. They are written as a document would define them.
namespace strata::opl {

/// Null where there is none of this name.
const Fragment* compound_fragment(std::string_view name);
/// The names of all.
std::vector<std::string_view> compound_names();

}  // namespace strata::opl
