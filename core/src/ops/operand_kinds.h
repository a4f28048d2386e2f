#pragma once

#include "strata/core/fact.h"

/// What operands may turn out to be in a run, as far as their facts tell.
namespace strata {

/// A tensor with this number of axes.
bool may_have_rank(const ShapeFact& shape, std::size_t rank);
/// A tensor of one element.
bool may_be_single(const ShapeFact& shape);
/// A vector of integers.
bool may_be_integer_vector(const Fact& fact);
/// One integer, of any rank.
bool may_be_one_integer(const Fact& fact);

}  // namespace strata
