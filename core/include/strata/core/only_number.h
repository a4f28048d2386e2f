#pragma once

#include <cstdint>
#include <optional>

#include "strata/core/fact.h"

/// The value of an operand that stands for one number: a scalar, or a vector of one.
namespace strata {

/// The only element of a constant integer tensor.
std::optional<std::int64_t> only_integer(const Fact& fact);
/// The only element of a known integer tensor of rank 0 or 1, symbolic or not.
std::optional<Dim> only_dim(const Fact& fact);

}  // namespace strata
