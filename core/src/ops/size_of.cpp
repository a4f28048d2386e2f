#include "strata/core/ops/size_of.h"

#include "strata/core/ops/support.h"

namespace strata {

FactList SizeOf::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].is_tensor(), "(C1) SizeOf reads a ", in[0].type(), ", which is no tensor");
  const auto volume = in[0].shape.volume();
  if (!volume) return {Fact::tensor(DatumType::i64, Shape{})};
  return {Fact::of(dims_tensor(std::vector<Dim>{*volume}).reshaped({}))};
}

TensorList SizeOf::eval(Tensors in) const { return {Tensor::scalar<std::int64_t>(in[0].size())}; }

}  // namespace strata
