#pragma once

#include <optional>

#include "strata/core/tensor.h"
#include "strata/opl/ast.h"

namespace strata::opl {

class Invocation;

/// `strata_constant(values = […], shape = […], type = "…")`: any tensor in the text.
Expression constant_text(const Tensor& tensor);
/// Reads it back.
Tensor read_constant_text(Invocation& call);

/// A literal that alone tells type, shape and value: an i64 scalar or short vector (also of dims),
/// an f32, bool or string scalar. None for any other tensor.
std::optional<Expression> short_literal(const Tensor& tensor);

}  // namespace strata::opl
