#include "strata/core/ops/optional_of.h"

#include "strata/core/ops/support.h"

namespace strata {

FactList OptionalOf::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].kind != ValueType::Kind::optional, "(C1) a ", in[0].type(),
        " is an optional already");
  return {Fact::optional(in[0].without_value())};
}

ValueList OptionalOf::eval(Values in) const {
  return {Optional{in[0].type(), std::make_shared<const Value>(in[0])}};
}

}  // namespace strata
