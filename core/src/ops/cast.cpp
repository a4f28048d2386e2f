#include "strata/core/ops/cast.h"

#include "strata/core/ops/support.h"

namespace strata {

FactList Cast::output_facts(Facts in) const {
  check_arity("(C1) Cast", in, 1, 1);
  check(to != DatumType::dim, "(C2) nothing is cast to ", to);
  return {Fact::tensor(to, in[0].shape)};
}

TensorList Cast::eval(Tensors in) const {
  const bool holds_sizes = to == DatumType::i64 || to == DatumType::i32;
  if (in[0].dtype() == DatumType::dim && holds_sizes) return {in[0]};
  return {cast(in[0], to, overflow, rounding)};
}

/// Cast(x, type of x)  ->  x
Rewrite Cast::declutter(const NodeView& node) const {
  if (node.input_fact(0).dtype != to) return no_change;
  return bypass(node, node.input(0));
}

}  // namespace strata
