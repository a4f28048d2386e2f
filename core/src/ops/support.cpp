#include "strata/core/ops/support.h"

#include <algorithm>

namespace strata {

bool may_be_equal(const Dim& a, const Dim& b) {
  return !a.is_constant() || !b.is_constant() || a == b;
}

namespace {

/// Integers tell most, then expressions over the model's own symbols, then the fewer sizes that only
/// the data can tell.
int definiteness(const Dim& dim) {
  if (dim.is_constant()) return 1;
  int fresh = 0;
  dim.any_symbol([&](const std::string& name) {
    fresh += SymbolScope::is_fresh_name(name);
    return false;
  });
  return -fresh;
}

}  // namespace

const Dim& more_definite(const Dim& a, const Dim& b) {
  if (a.is_constant() || a == b) return a;
  if (b.is_constant()) return b;
  return definiteness(b) > definiteness(a) ? b : a;
}

Tensor as_dims(const Tensor& tensor) {
  return tensor.dtype() == DatumType::dim ? tensor : cast(tensor, DatumType::dim);
}

TensorList with_common_type(Tensors in) {
  TensorList out(in.begin(), in.end());
  const auto is_dim = [](const Tensor& t) { return t.dtype() == DatumType::dim; };
  if (std::any_of(out.begin(), out.end(), is_dim))
    for (Tensor& tensor : out) tensor = as_dims(tensor);
  return out;
}

void check_arity(std::string_view op, Facts in, std::size_t least, std::size_t most) {
  const auto or_less = [&] { return least == most ? std::string() : cat(least, " to "); };
  check(in.size() >= least && in.size() <= most, op, " takes ", or_less, counted(most, "input"),
        ", ", in.size(), " given");
}

}  // namespace strata
