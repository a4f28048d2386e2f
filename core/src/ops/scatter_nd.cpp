#include "strata/core/ops/scatter_nd.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/scatter.h"

namespace strata {
namespace {

void check_updates(const ShapeFact& data, const ShapeFact& indices, const ShapeFact& updates) {
  const auto depth = indices.dims().back().constant();
  if (!depth) return;
  check(*depth <= static_cast<std::int64_t>(data.rank()), "(C2) ", *depth, " indices into ", data);
  std::vector<Dim> wanted(indices.dims().begin(), indices.dims().end() - 1);
  append(wanted, data.dims().subspan(static_cast<std::size_t>(*depth)));
  if (updates.is_open()) return;
  check(std::equal(wanted.begin(), wanted.end(), updates.dims().begin(), updates.dims().end(),
                   may_be_equal),
        "(C3) updates of shape ", updates, " where ", wanted, " is wanted");
}

}  // namespace

FactList ScatterNd::output_facts(Facts in) const {
  check_arity(name, in, 3, 3);
  const ShapeFact &data = in[0].shape, &indices = in[1].shape;
  check(is_integer(in[1].dtype) && (indices.is_open() || indices.rank() >= 1),
        "(C1) the indices are ", in[1]);
  check(in[0].dtype == in[2].dtype, "(C1) updates of ", in[2].dtype, " do not go into ",
        in[0].dtype);
  if (data.is_known() && indices.is_known()) check_updates(data, indices, in[2].shape);
  return {Fact::tensor(in[0].dtype, data)};
}

TensorList ScatterNd::eval(Tensors in) const {
  const Tensor &indices = in[1], &updates = in[2];
  const Shape whole = in[0].shape();
  check_data(indices.rank() >= 1, "(C1) the indices are a scalar");
  const auto depth = static_cast<std::size_t>(indices.shape().back());
  check_data(depth <= whole.size(), "(C2) ", depth, " indices into ", Span(whole));
  const Span lists = Span(indices.shape()).first(indices.rank() - 1),
             slice = Span(whole).subspan(depth);
  Shape wanted(lists);
  for (const std::int64_t size : slice) wanted.push_back(size);
  check_data(updates.shape() == wanted, "(C3) updates of shape ", Span(updates.shape()), " where ",
             Span(wanted), " is wanted");
  const Shape strides = row_major_strides(whole), picks = to_integers(indices);
  Shape offsets(static_cast<std::size_t>(product(lists)));
  const std::int64_t* pick = picks.data();
  for (std::int64_t& offset : offsets)
    for (std::size_t i = 0; i < depth; ++i) offset += checked_index(*pick++, whole[i]) * strides[i];
  MutableTensor out = MutableTensor::copy_of(in[0]);
  scatter(reduction, updates, offsets, product(slice), out);
  return {std::move(out).freeze()};
}

}  // namespace strata
