#include "strata/core/ops/sequence_length.h"

#include "ops/sequence_support.h"

namespace strata {

FactList SequenceLength::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check_sequence(in[0]);
  if (!in[0].length) return {Fact::tensor(DatumType::i64, Shape{})};
  return {Fact::of(dims_tensor(std::vector{*in[0].length}).reshaped({}))};
}

ValueList SequenceLength::eval(Values in) const {
  return {Tensor::scalar<std::int64_t>(length_of(in[0].sequence()))};
}

}  // namespace strata
