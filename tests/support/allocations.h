#pragma once

#include <cstddef>

namespace strata::tests {

/// How often this program has called an allocation function so far.
std::size_t allocations();

}  // namespace strata::tests
