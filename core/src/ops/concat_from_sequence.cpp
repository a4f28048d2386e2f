#include "strata/core/ops/concat_from_sequence.h"

#include "ops/sequence_support.h"
#include "strata/core/ops/concat.h"

namespace strata {

FactList ConcatFromSequence::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check_sequence(in[0]);
  const Fact& item = *in[0].element;
  check(item.is_tensor(), "(C1) items are ", item.type(), ", no tensors");
  check(in[0].length != Dim(0), "(C3) an empty sequence has nothing to join");
  if (item.shape.is_open()) return {Fact::tensor(item.dtype, item.shape)};
  std::vector<Dim> dims = item.shape.dims();
  if (join == SequenceJoin::new_axis) {
    const std::size_t at = normalized_axis(axis, dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at),
                in[0].length ? *in[0].length : fresh_dim());
  } else {
    Dim& extent = dims[normalized_axis(axis, dims.size())];
    // A symbol of the items stands for the size of any of them, and they may differ.
    extent = in[0].length && extent.is_constant() ? extent * *in[0].length : fresh_dim();
  }
  return {Fact::tensor(item.dtype, std::move(dims))};
}

ValueList ConcatFromSequence::eval(Values in) const {
  const SequenceItems& given = in[0].sequence().items;
  ValueList items(given.begin(), given.end());
  check_data(!items.empty(), "(C3) an empty sequence has nothing to join");
  const std::size_t rank = items[0].tensor().rank(),
                    joined_rank = rank + (join == SequenceJoin::new_axis);
  const std::size_t at = axis_of_data(axis, joined_rank);
  for (Value& item : items) {
    Shape shape = item.tensor().shape();
    check_data(shape.size() == rank, "(C4) items have ranks ", rank, " and ", shape.size());
    if (join == SequenceJoin::existing_axis) continue;
    shape.insert(shape.begin() + at, 1);
    item = item.tensor().reshaped(std::move(shape));
  }
  return TypedOp(Concat{static_cast<std::int64_t>(at)}).eval(items);
}

}  // namespace strata
