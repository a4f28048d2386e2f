#include "strata/core/ops/trilu.h"

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {

FactList Trilu::output_facts(Facts in) const {
  check_arity(name, in, 1, 2);
  check(in[0].shape.is_open() || in[0].shape.rank() >= 2, "(C1) shape ", in[0].shape,
        " holds no matrices");
  if (in.has(1)) check(may_be_one_integer(in[1]), "(C2) k is ", in[1]);
  return {Fact::tensor(in[0].dtype, in[0].shape)};
}

TensorList Trilu::eval(Tensors in) const {
  const Shape& shape = in[0].shape();
  check_data(shape.size() >= 2, "(C1) shape ", Span(shape), " holds no matrices");
  if (in.size() > 1) check_data(in[1].size() == 1, "(C2) k has shape ", Span(in[1].shape()));
  const std::int64_t k = in.size() < 2 ? 0 : to_integers(in[1])[0];
  const std::int64_t height = shape[shape.size() - 2], width = shape.back();
  MutableTensor out = MutableTensor::copy_of(in[0]);
  visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
    T* at = out.storage_as<T>().data();
    for (std::int64_t n = 0; n < out.size(); ++n) {
      const std::int64_t row = n / width % height, column = n % width;
      const bool keeps = kept == Triangle::upper ? column - row >= k : column - row <= k;
      if (!keeps) at[n] = T{};
    }
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
