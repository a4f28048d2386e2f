#include "strata/hir/ops/lstm.h"

#include "ops/arithmetic.h"
#include "ops/recurrent.h"
#include "strata/core/ops/split.h"

namespace strata::hir {
namespace {

constexpr CellKind kKind{.gates = 4, .states = 2, .functions = 3};

enum Function : std::size_t { kF, kG, kH };

/// it = f(Xt Wi^T + Ht-1 Ri^T + Pi . Ct-1 + Wbi + Rbi)
/// ft = f(Xt Wf^T + Ht-1 Rf^T + Pf . Ct-1 + Wbf + Rbf), or 1 - it
/// Ct = ft . Ct-1 + it . g(Xt Wc^T + Ht-1 Rc^T + Wbc + Rbc)
/// ot = f(Xt Wo^T + Ht-1 Ro^T + Po . Ct + Wbo + Rbo)
/// Ht = ot . h(Ct)
OutletIds wire_cell(Builder& b, const CellInputs& in, Lstm::ForgetGate forget_gate) {
  const OutletId h = in.states[0], c = in.states[1];
  const OutletId gates =
      add(b, projected(b, in.x, in.w, in.input_bias), projected(b, h, in.r, in.state_bias));
  const OutletIds sums = b.wire(Split{-1, 4}, {gates});  // of the gates i, o, f, c
  const OutletIds peepholes =
      in.peepholes.is_absent() ? OutletIds(3, kAbsent) : b.wire(Split{0, 3}, {in.peepholes});
  const auto gate = [&](std::size_t i, OutletId seen) {
    if (peepholes[i].is_absent()) return apply_function(b, in, kF, sums[i]);
    return apply_function(b, in, kF, add(b, sums[i], mul(b, seen, peepholes[i])));
  };
  const OutletId input = gate(0, c);
  const OutletId forget = forget_gate == Lstm::ForgetGate::own ? gate(2, c) : one_minus(b, input);
  const OutletId candidate = apply_function(b, in, kG, sums[3]);
  const OutletId next_c = add(b, mul(b, forget, c), mul(b, input, candidate));
  const OutletId output = gate(1, next_c);
  return {mul(b, output, apply_function(b, in, kH, next_c)), next_c};
}

}  // namespace

void Lstm::rules(Rules& r) const { recurrent_rules(r, layer, kKind); }

OutletIds Lstm::wire(Builder& b, const OutletIds& in) const {
  return wire_recurrent(b, in, layer, kKind, [&](Builder& body, const CellInputs& inputs) {
    return wire_cell(body, inputs, forget_gate);
  });
}

}  // namespace strata::hir
