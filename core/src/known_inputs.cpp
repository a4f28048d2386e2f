#include "strata/core/known_inputs.h"

#include "passes/infer_again.h"

namespace strata {
namespace {

bool holds_symbols(const Fact& fact) {
  return fact.value && fact.value->is_tensor() && fact.value->tensor().dtype() == DatumType::dim;
}

}  // namespace

Body with_known_inputs(const Body& body, std::span<const Fact* const> outer) {
  OutletIds changed;
  std::shared_ptr<TypedModel> out;
  for (std::size_t i = 0; i < body->inputs().size() && i < outer.size(); ++i) {
    const Fact& own = body->input_fact(i);
    if (!outer[i] || !holds_symbols(*outer[i]) || own.value || !compatible(own, *outer[i]))
      continue;
    if (!out) out = std::make_shared<TypedModel>(*body);
    Fact known = own;
    known.value = outer[i]->value;
    changed.push_back(out->inputs()[i]);
    out->set_fact(changed.back(), std::move(known));
  }
  if (!out) return body;
  try {
    infer_again(*out, changed);
  } catch (const Error&) {
    return body;
  }
  return out;
}

}  // namespace strata
