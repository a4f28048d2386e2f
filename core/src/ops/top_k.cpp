#include "strata/core/ops/top_k.h"

#include "ops/best_indices.h"
#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {
FactList TopK::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact& shape = in[0].shape;
  check((is_integer(in[0].dtype) || is_float(in[0].dtype)) && !is_packed(in[0].dtype),
        "(C1) data are ", in[0].dtype);
  check(may_be_one_integer(in[1]), "(C3) k is ", in[1]);
  if (shape.is_open())
    return {Fact::tensor(in[0].dtype, shape), Fact::tensor(DatumType::i64, shape)};
  std::vector<Dim> dims = shape.dims();
  Dim& extent = dims[normalized_axis(axis, dims.size())];  // (C2)
  const Dim k = known_size(in[1]).value_or(fresh_dim());
  const auto count = k.constant(), most = extent.constant();
  check(!count || (*count >= 0 && (!most || *count <= *most)), "(C4) k is ", k, " on an axis of ",
        extent);
  extent = k;
  return {Fact::tensor(in[0].dtype, dims), Fact::tensor(DatumType::i64, dims)};
}

TensorList TopK::eval(Tensors in) const {
  const Tensor& data = in[0];
  const std::size_t at = axis_of_data(axis, data.rank());
  check_data(in[1].size() == 1, "(C3) k has shape ", Span(in[1].shape()));
  const std::int64_t k = to_integers(in[1])[0], extent = data.shape()[at];
  check_data(k >= 0 && k <= extent, "(C4) k is ", k, " on an axis of ", extent);
  Shape shape = data.shape();
  shape[at] = k;
  const std::int64_t outer = product(Span(shape).first(at)),
                     inner = product(Span(shape).subspan(at + 1));
  MutableTensor values(data.dtype(), shape), indices(DatumType::i64, shape);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(extent));
  std::vector<std::int64_t> found(keys.size());
  find_best({.dtype = data.dtype(),
             .order = order,
             .outer = outer,
             .extent = extent,
             .inner = inner,
             .k = k,
             .data = data.bytes().data(),
             .values = values.bytes().data(),
             .places = indices.as<std::int64_t>().data()},
            {keys, found});
  return {std::move(values).freeze(), std::move(indices).freeze()};
}

}  // namespace strata
