#include "strata/core/ops/one_hot.h"

#include <algorithm>

#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {
namespace {

bool is_real(DatumType type) { return is_integer(type) || is_float(type); }

}  // namespace

FactList OneHot::output_facts(Facts in) const {
  check_arity(name, in, 3, 3);
  const ShapeFact &indices = in[0].shape, &depth = in[1].shape, &values = in[2].shape;
  check(is_real(in[0].dtype) && is_real(in[1].dtype), "(C1) indices are ", in[0].dtype,
        ", the depth is ", in[1].dtype);
  check(may_be_single(depth), "(C2) the depth is ", in[1]);
  check(!is_packed(in[2].dtype), "(C1) the values are ", in[2].dtype);
  check(values.is_open() || (values.rank() == 1 && may_be_equal(values[0], 2)),
        "(C3) the values are ", in[2]);
  if (indices.is_open()) return {Fact::tensor(in[2].dtype, ShapeFact::open())};
  const Dim size = known_size(in[1]).value_or(fresh_dim());
  check(size.constant().value_or(0) >= 0, "(C2) the depth is ", size);
  std::vector<Dim> dims = indices.dims();
  const std::size_t at = normalized_axis(axis, dims.size() + 1);  // (C4)
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), size);
  return {Fact::tensor(in[2].dtype, std::move(dims))};
}

TensorList OneHot::eval(Tensors in) const {
  const Shape indices = to_integers(cast(in[0], DatumType::i64));
  check_data(in[1].size() == 1 && in[2].size() == 2, "(C2) (C3) the depth has ", in[1].size(),
             " and the values have ", in[2].size(), " elements");
  const std::int64_t depth = to_integers(cast(in[1], DatumType::i64))[0];
  check_data(depth >= 0, "(C2) the depth is ", depth);
  const std::size_t at = axis_of_data(axis, in[0].rank() + 1);
  Shape shape = in[0].shape();
  const std::int64_t inner = product(Span(shape).subspan(at));
  shape.insert(shape.begin() + at, depth);
  MutableTensor out(in[2].dtype(), shape);
  visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
    const auto values = in[2].storage_as<T>();
    const auto to = out.storage_as<T>();
    std::fill(to.begin(), to.end(), values[0]);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::int64_t hot = indices[i] < 0 ? indices[i] + depth : indices[i];
      if (hot < 0 || hot >= depth) continue;
      const auto n = static_cast<std::int64_t>(i);
      to[static_cast<std::size_t>((n / inner * depth + hot) * inner + n % inner)] = values[1];
    }
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
