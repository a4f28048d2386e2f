#include "strata/core/ops/compress.h"

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "strata/core/ops/gather.h"

namespace strata {

FactList Compress::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &data = in[0].shape, &condition = in[1].shape;
  check(in[1].dtype == DatumType::boolean && may_have_rank(condition, 1), "(C1) the condition is ",
        in[1]);
  if (!axis) return {Fact::tensor(in[0].dtype, fresh_shape(1))};
  if (data.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> dims = data.dims();
  Dim& extent = dims[normalized_axis(*axis, dims.size())];  // (C2)
  if (condition.is_known() && condition[0].is_constant() && extent.is_constant())
    check(*condition[0].constant() <= *extent.constant(), "(C3) ", condition[0],
          " conditions for an axis of ", extent);
  extent = fresh_dim();
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Compress::eval(Tensors in) const {
  const Tensor data = axis ? in[0] : in[0].reshaped({in[0].size()});
  const std::int64_t at = axis.value_or(0), extent = data.shape()[axis_of_data(at, data.rank())];
  check_data(in[1].size() <= extent, "(C3) ", in[1].size(), " conditions for an axis of ", extent);
  const auto condition = in[1].as<bool>();
  // Each place is written, and stays where the next one is kept: a branch would often be guessed
  // wrong.
  std::vector<std::int64_t> kept(condition.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    kept[count] = static_cast<std::int64_t>(i);
    count += condition[i] ? 1 : 0;
  }
  kept.resize(count);
  const Tensor picks = Tensor::vector<std::int64_t>(kept);
  return Gather{at}.eval(std::vector{data, picks});
}

}  // namespace strata
