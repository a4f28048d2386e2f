#pragma once

#include <utility>

#include "strata/core/fact.h"

namespace strata::tests {

inline Fact f32(Shape shape) { return Fact::tensor(DatumType::f32, std::move(shape)); }

}  // namespace strata::tests
