#include "strata/core/ops/regex_full_match.h"

#include <algorithm>

#include "ops/regular_expression.h"
#include "strata/core/ops/support.h"

namespace strata {

FactList RegexFullMatch::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].dtype == DatumType::string, "(C1) data are ", in[0].dtype);
  check_pattern(pattern);
  return {Fact::tensor(DatumType::boolean, in[0].shape)};
}

TensorList RegexFullMatch::eval(Tensors in) const {
  const TextMatcher matches = compiled(pattern);
  MutableTensor out(DatumType::boolean, in[0].shape());
  std::ranges::transform(in[0].as<std::string>(), out.as<bool>().begin(), matches);
  return {std::move(out).freeze()};
}

}  // namespace strata
