#include "strata/core/ops/tile.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "strata/core/patch.h"

namespace strata {

FactList Tile::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const Fact& repeats = in[1];
  check(may_be_integer_vector(repeats), "(C1) the repeats are ", repeats,
        ", no vector of integers");
  const auto count = known_length(repeats);
  const ShapeFact& shape = in[0].shape;
  if (shape.is_open())
    return {Fact::tensor(
        in[0].dtype, count ? fresh_shape(static_cast<std::size_t>(*count)) : ShapeFact::open())};
  check(!count || *count == static_cast<std::int64_t>(shape.rank()), "(C1) ", *count,
        " repeats for shape ", shape);
  const auto times = repeats.dims();
  if (!times) return {Fact::tensor(in[0].dtype, fresh_shape(shape.rank()))};
  std::vector<Dim> dims = shape.dims();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    check((*times)[i].constant().value_or(0) >= 0, "(C2) the repeats are ", *times);
    dims[i] *= (*times)[i];
  }
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Tile::eval(Tensors in) const {
  const Tensor& data = in[0];
  const Shape repeats = to_integers(in[1]);
  check_data(repeats.size() == data.rank(), "(C1) ", repeats.size(), " repeats for shape ",
             Span(data.shape()));
  // Each axis becomes two: how often, with no step, and the axis itself.
  const Shape from = row_major_strides(data.shape());
  Shape doubled, strides, shape;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    check_data(repeats[i] >= 0, "(C2) the repeats are ", Span(repeats));
    doubled.push_back(repeats[i]);
    strides.push_back(0);
    doubled.push_back(data.shape()[i]);
    strides.push_back(from[i]);
    shape.push_back(element_count(Shape{repeats[i], data.shape()[i]}));
  }
  return {strided_copy(data, doubled, strides).reshaped(std::move(shape))};
}

/// Tile(x, 1..)   ->  x
Rewrite Tile::declutter(const NodeView& node) const {
  const auto repeats = node.input_fact(1).integers();
  if (!repeats ||
      !std::all_of(repeats->begin(), repeats->end(), [](std::int64_t n) { return n == 1; }))
    return no_change;
  return bypass(node, node.input(0));
}

}  // namespace strata
