#include "ops/operand_kinds.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {

bool may_have_rank(const ShapeFact& shape, std::size_t rank) {
  return shape.is_open() || shape.rank() == rank;
}

bool may_be_single(const ShapeFact& shape) {
  return shape.is_open() || std::all_of(shape.dims().begin(), shape.dims().end(),
                                        [](const Dim& d) { return may_be_equal(d, Dim(1)); });
}

bool may_be_integer_vector(const Fact& fact) {
  return is_integer(fact.dtype) && may_have_rank(fact.shape, 1);
}

bool may_be_one_integer(const Fact& fact) {
  return is_integer(fact.dtype) && may_be_single(fact.shape);
}

}  // namespace strata
