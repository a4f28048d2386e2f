#include "strata/core/ops/gather_nd.h"

#include <algorithm>

#include "ops/movement.h"

namespace strata {

FactList GatherNd::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const ShapeFact &data = in[0].shape, &indices = in[1].shape;
  check(is_integer(in[1].dtype) && (indices.is_open() || indices.rank() >= 1),
        "(C1) the indices are ", in[1]);
  if (data.is_open() || indices.is_open()) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const auto batch = static_cast<std::size_t>(batch_dims);
  check(batch_dims >= 0 && batch < data.rank() && batch < indices.rank(), "(C2) batch_dims ",
        batch_dims, " with ", data, " and ", indices);
  std::vector<Dim> dims;
  for (std::size_t i = 0; i + 1 < indices.rank(); ++i) {
    if (i < batch)
      check(may_be_equal(indices[i], data[i]), "(C2) batches of ", data, " and ", indices,
            " differ");
    dims.push_back(i < batch ? more_definite(indices[i], data[i]) : indices[i]);
  }
  const auto depth = indices.dims().back().constant();
  if (!depth) return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  check(*depth <= static_cast<std::int64_t>(data.rank() - batch), "(C3) ", *depth, " indices into ",
        data, " after ", batch, " batch dims");
  append(dims, data.dims().subspan(batch + static_cast<std::size_t>(*depth)));
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList GatherNd::eval(Tensors in) const {
  const Tensor &data = in[0], &indices = in[1];
  const auto batch = static_cast<std::size_t>(batch_dims);
  check_data(batch < data.rank() && batch < indices.rank() && indices.rank() >= 1,
             "(C2) batch_dims ", batch_dims, " with ranks ", data.rank(), " and ", indices.rank());
  const auto depth = static_cast<std::size_t>(indices.shape().back());
  check_data(batch + depth <= data.rank(), "(C3) ", depth, " indices into ", Span(data.shape()));
  const Span whole = data.shape(), listed = indices.shape();
  check_data(std::equal(whole.begin(), whole.begin() + batch_dims, listed.begin()),
             "(C2) batches of ", whole, " and ", listed, " differ");
  Shape shape(listed.first(listed.size() - 1));
  const Span slice = whole.subspan(batch + depth);
  for (const std::int64_t size : slice) shape.push_back(size);
  const std::int64_t batches = product(whole.first(batch)),
                     tuples = product(listed.subspan(batch, listed.size() - 1 - batch)),
                     inner = product(slice);
  const Shape strides = row_major_strides(whole), picks = to_integers(indices);
  const std::int64_t batch_step = product(whole.subspan(batch));
  MutableTensor out(data.dtype(), shape);
  const std::int64_t *pick = picks.data();
  for (std::int64_t n = 0; n < batches * tuples; ++n) {
    std::int64_t offset = n / tuples * batch_step;
    for (std::size_t i = batch; i < batch + depth; ++i)
      offset += checked_index(*pick++, whole[i]) * strides[i];
    copy_elements(data, offset, inner, out, n * inner);
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
