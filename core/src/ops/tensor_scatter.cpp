#include "strata/core/ops/tensor_scatter.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {

FactList TensorScatter::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  const ShapeFact &cache = in[0].shape, &update = in[1].shape;
  check(in[0].dtype == in[1].dtype, "(C1) an update of ", in[1].dtype, " does not go into ",
        in[0].dtype);
  if (in.has(2)) check(may_be_integer_vector(in[2]), "(C3) the starts are ", in[2]);
  if (cache.is_open()) return {Fact::tensor(in[0].dtype, cache)};
  const std::size_t at = normalized_axis(axis, cache.rank());
  check(at != 0, "(C2) axis 0 is the batch");
  if (update.is_known()) {
    check(update.rank() == cache.rank(), "(C1) an update of ", update, " does not go into ", cache);
    for (std::size_t i = 0; i < cache.rank(); ++i)
      check(i == at || may_be_equal(cache[i], update[i]), "(C1) an update of ", update,
            " does not go into ", cache);
  }
  if (in.has(2) && in[2].shape.is_known())
    check(may_be_equal(in[2].shape[0], cache[0]), "(C3) ", in[2].shape[0], " starts for ", cache[0],
          " batches");
  return {Fact::tensor(in[0].dtype, cache)};
}

TensorList TensorScatter::eval(Tensors in) const {
  const Shape &cache = in[0].shape(), &update = in[1].shape();
  const std::size_t at = axis_of_data(axis, cache.size());
  check_data(at != 0, "(C2) axis 0 is the batch");
  check_data(cache.size() == update.size(), "(C1) an update of ", Span(update),
             " does not go into ", Span(cache));
  for (std::size_t i = 0; i < cache.size(); ++i)
    check_data(i == at ? update[i] <= cache[i] : update[i] == cache[i], "(C1) an update of ",
               Span(update), " does not go into ", Span(cache));
  const Shape starts =
      in.size() > 2 ? to_integers(in[2]) : Shape(static_cast<std::size_t>(cache[0]), 0);
  check_data(static_cast<std::int64_t>(starts.size()) == cache[0], "(C3) ", starts.size(),
             " starts for ", cache[0], " batches");
  const std::int64_t inner = product(Span(cache).subspan(at + 1)),
                     outer = product(Span(cache).first(at));
  const std::int64_t extent = cache[at], rows = update[at];
  MutableTensor out = MutableTensor::copy_of(in[0]);
  for (std::int64_t n = 0; n < outer; ++n) {
    std::int64_t start = starts[static_cast<std::size_t>(n / (outer / cache[0]))];
    if (wrap == ScatterWrap::circular && extent > 0) start = (start % extent + extent) % extent;
    check_data(rows == 0 || (start >= 0 && start < extent), "(C4) row ", start,
               " is outside an axis of ", extent);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int64_t target = start + row;
      if (wrap == ScatterWrap::circular) target %= extent;
      check_data(target < extent, "(C4) row ", target, " is outside an axis of ", extent);
      copy_elements(in[1], (n * rows + row) * inner, inner, out, (n * extent + target) * inner);
    }
  }
  return {std::move(out).freeze()};
}

}  // namespace strata
