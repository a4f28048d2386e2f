#include "strata/core/ops/select.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Writes the elements of `from` where `condition` is `wanted`.
template <class T>
void write_where(std::span<T> out, Span shape, const Tensor& condition, const Tensor& from,
                 const bool wanted) {
  const auto holds = condition.as<bool>();
  const auto values = from.storage_as<T>();
  auto to = out.begin();
  for_each_broadcast(shape, condition.shape(), from.shape(), [&](std::int64_t i, std::int64_t j) {
    if (holds[static_cast<std::size_t>(i)] == wanted) *to = values[static_cast<std::size_t>(j)];
    ++to;
  });
}

}  // namespace

FactList Select::output_facts(Facts in) const {
  check_arity("(C1) Select", in, 3, 3);
  check(in[0].dtype == DatumType::boolean, "(C2) the condition is ", in[0].dtype, ", not bool");
  check(in[1].dtype == in[2].dtype, "(C3) one of ", in[1].dtype, " and ", in[2].dtype,
        " is selected");
  return {Fact::tensor(in[1].dtype, broadcast(in[0].shape, broadcast(in[1].shape, in[2].shape)))};
}

TensorList Select::eval(Tensors in) const {
  const TensorList values = with_common_type(in.subspan(1));
  const Shape shape = broadcast(in[0].shape(), broadcast(values[0].shape(), values[1].shape()));
  MutableTensor out(values[0].dtype(), shape);
  visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
    write_where(out.storage_as<T>(), shape, in[0], values[0], true);
    write_where(out.storage_as<T>(), shape, in[0], values[1], false);
  });
  return {std::move(out).freeze()};
}

/// Select(all true, a, b) -> a, Select(all false, a, b) -> b; where neither the condition nor the
/// other one stretches it
Rewrite Select::declutter(const NodeView& node) const {
  const Tensor* condition = node.input_fact(0).constant();
  if (!condition || condition->size() == 0) return no_change;
  const auto holds = condition->as<bool>();
  if (!std::all_of(holds.begin(), holds.end(), [&](bool b) { return b == holds[0]; }))
    return no_change;
  const std::size_t chosen = holds[0] ? 1 : 2;
  const ShapeFact& shape = node.input_fact(chosen).shape;
  if (shape.is_open() || !(shape == node.output_fact().shape)) return no_change;
  return bypass(node, node.input(chosen));
}

}  // namespace strata
