#include "strata/hir/ops/rnn.h"

#include "ops/arithmetic.h"
#include "ops/recurrent.h"

namespace strata::hir {
namespace {

constexpr CellKind kKind{};

/// Ht = f(Xt W^T + Ht-1 R^T + Wb + Rb)
OutletIds wire_cell(Builder& b, const CellInputs& in) {
  const OutletId state = projected(b, in.states[0], in.r, in.state_bias);
  return {apply_function(b, in, 0, add(b, projected(b, in.x, in.w, in.input_bias), state))};
}

}  // namespace

void Rnn::rules(Rules& r) const { recurrent_rules(r, layer, kKind); }

OutletIds Rnn::wire(Builder& b, const OutletIds& in) const {
  return wire_recurrent(b, in, layer, kKind, wire_cell);
}

}  // namespace strata::hir
