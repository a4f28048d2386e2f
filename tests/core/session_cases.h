#pragma once

#include <doctest/doctest.h>

#include "strata/core/session.h"
#include "support/counting_ops.h"
#include "support/models.h"

/// What the tests of sessions run.
namespace strata::tests {

/// x -> op -> op -> … `count` times.
inline TypedModel chain(const TypedOp& op, std::size_t count, ShapeFact shape) {
  TypedModel model;
  OutletId wire = model.add_source("x", Fact::tensor(DatumType::f32, std::move(shape)));
  for (std::size_t i = 0; i < count; ++i) wire = model.wire_one("step", op, {wire});
  model.add_output("y", wire);
  return model;
}

inline float first(const ValueList& values) { return values[0].tensor().as<float>()[0]; }

}  // namespace strata::tests
