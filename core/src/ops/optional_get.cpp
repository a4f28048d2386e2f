#include "strata/core/ops/optional_get.h"

#include "strata/core/ops/optional_of.h"
#include "strata/core/ops/support.h"
#include "strata/core/patch.h"

namespace strata {

FactList OptionalGet::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  if (in[0].kind != ValueType::Kind::optional) return {in[0].without_value()};
  return {in[0].element->without_value()};
}

ValueList OptionalGet::eval(Values in) const {
  if (in[0].type().kind != ValueType::Kind::optional) return {in[0]};
  const Optional& optional = in[0].optional();
  check_data(optional.value != nullptr, "(C1) the optional is empty");
  return {*optional.value};
}

/// OptionalGet(OptionalOf(x))   ->  x
/// OptionalGet(x)               ->  x, where x is no optional
Rewrite OptionalGet::declutter(const NodeView& node) const {
  if (node.input_fact(0).kind != ValueType::Kind::optional) return bypass(node, node.input(0));
  if (node.producer_as<OptionalOf>(0)) return bypass(node, node.producer(0).input(0));
  return no_change;
}

}  // namespace strata
