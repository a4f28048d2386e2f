#pragma once

#include "reader.h"

namespace strata::opl {

/// Refuses a graph whose fragments would be expanded to more assignments than the limit of nodes,
/// before any is: each may call two of the one before. Throws: limit.
void check_expanded_size(const DocumentReader& document);

}  // namespace strata::opl
