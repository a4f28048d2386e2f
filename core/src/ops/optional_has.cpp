#include "strata/core/ops/optional_has.h"

#include "strata/core/ops/support.h"

namespace strata {
namespace {

bool holds(const Value& value) {
  return value.type().kind != ValueType::Kind::optional || value.optional().value != nullptr;
}

}  // namespace

FactList OptionalHas::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  if (in[0].kind != ValueType::Kind::optional) return {Fact::of(Tensor::scalar(true))};
  if (in[0].value) return {Fact::of(Tensor::scalar(holds(*in[0].value)))};
  return {Fact::tensor(DatumType::boolean, Shape{})};
}

ValueList OptionalHas::eval(Values in) const { return {Tensor::scalar(holds(in[0]))}; }

}  // namespace strata
