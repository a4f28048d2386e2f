#pragma once

#include "ops/movement.h"
#include "ops/operand_kinds.h"

/// What the sequence ops share.
namespace strata {

inline void check_sequence(const Fact& fact) {
  check(fact.kind == ValueType::Kind::sequence, "(C1) a ", fact.type(), " is no sequence");
}

inline void check_position(const Fact& fact, std::string_view tag) {
  check(fact.is_tensor() && may_be_one_integer(fact), tag, " the position is ", fact);
}

/// The place that a position in a sequence stands for, `places` counted from 0; a negative one
/// counts from `length`.
inline std::size_t place_of(const Value& position, std::int64_t length, std::int64_t places,
                            std::string_view tag) {
  const Shape at = to_integers(position.tensor());
  check_data(at.size() == 1, tag, " the position has ", at.size(), " elements");
  const std::int64_t place = at[0] < 0 ? at[0] + length : at[0];
  check_data(at[0] >= -length && place < places, tag, " position ", at[0],
             " is outside a sequence of ", length);
  return static_cast<std::size_t>(place);
}

inline std::int64_t length_of(const Sequence& sequence) {
  return static_cast<std::int64_t>(sequence.items.size());
}

}  // namespace strata
