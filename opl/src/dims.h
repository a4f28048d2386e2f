#pragma once

#include <functional>
#include <optional>
#include <string>

#include "strata/core/dim.h"
#include "strata/core/fact.h"
#include "strata/core/typed_model.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// `2*N+1` as an expression; a division is written `/`, as tract does.
Expression dim_expression(const Dim& dim);

/// The text of the type and shape of a value of any kind: `f32[N,3]`, `f32[..]`,
/// `sequence(f32[..])`, `sequence(f32[..],3)`, `optional(…)`.
std::string fact_text(const Fact& fact);
/// Reads it back. Throws: invalid_argument.
Fact parse_fact(std::string_view text);

/// An axis of an input of a model, and by how much a size is more than it.
struct InputAxis {
  OutletId input;
  std::int64_t axis;
  std::int64_t more;
};
/// The first axis that tells this size; nothing where none does.
std::optional<InputAxis> axis_that_tells(const TypedModel& model, const Dim& size);

}  // namespace strata::opl
