#pragma once

#include "reader.h"

namespace strata::opl {

/// Checks ahead that the fragments of a graph do not expand to more assignments than the limit of
/// nodes: if each calls the one before twice, a few lines would. Throws: limit.
void check_expanded_size(const DocumentReader& document);

}  // namespace strata::opl
