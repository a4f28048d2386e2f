#pragma once

#include "strata/core/typed_model.h"
#include "strata/core/typed_op.h"

namespace strata {

/// A fact of a body as the outer model may state it: sizes in terms of symbols that only the body
/// knows become fresh, and so do those that vary from one iteration to the next.
Fact outer_view(const Fact& fact, Facts outer_inputs);

/// Checks that what a body is given may be its input `i`, as constraint `tag` of an op says.
/// Throws: invalid_model.
void check_given(std::string_view tag, const TypedModel& body, std::size_t i, const Fact& given);

}  // namespace strata
