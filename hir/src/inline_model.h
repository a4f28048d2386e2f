#pragma once

#include "strata/hir/builder.h"

namespace strata::hir {

/// The outputs of `model` for these values of its inputs, its nodes wired one by one under names
/// that begin with `prefix`.
OutletIds inline_model(Builder& b, const TypedModel& model, const OutletIds& inputs,
                       std::string_view prefix);

}  // namespace strata::hir
