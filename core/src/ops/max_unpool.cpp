#include "strata/core/ops/max_unpool.h"

#include <algorithm>

#include "ops/operand_kinds.h"
#include "strata/core/ops/spatial.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

Dim unpooled(const MaxUnpool& op, std::size_t axis, const Dim& in) {
  const std::int64_t stride = op.strides.empty() ? 1 : op.strides[axis];
  const std::int64_t pads = op.pads.empty() ? 0 : op.pads[axis] + op.pads[op.kernel.size() + axis];
  return (in - 1) * Dim(stride) + op.kernel[axis] - pads;
}

/// The sizes of the output where none are given.
template <class Dims>
std::vector<Dim> inferred_sizes(const MaxUnpool& op, const Dims& in) {
  std::vector<Dim> out(in.begin(), in.end());
  for (std::size_t a = 0; a < op.kernel.size(); ++a) out[2 + a] = unpooled(op, a, out[2 + a]);
  return out;
}

/// The offset that an offset into a tensor of shape `small` has in one of shape `large`.
std::int64_t moved_offset(std::int64_t offset, const Shape& small, const Shape& steps_of_large) {
  std::int64_t out = 0;
  for (std::size_t a = small.size(); a-- > 0;) {
    out += offset % small[a] * steps_of_large[a];
    offset /= small[a];
  }
  return out;
}

}  // namespace

FactList MaxUnpool::output_facts(Facts in) const {
  check_arity("(C1) MaxUnpool", in, 2, 3);
  const ShapeFact &x = in[0].shape, &indices = in[1].shape;
  check(in[1].dtype == DatumType::i64, "(C2) indices of type ", in[1].dtype);
  WindowSpec{strides, {}, {Padding::Kind::fixed, pads}}.check_axes("(C4)", kernel.size());
  check(may_have_rank(x, kernel.size() + 2), "(C3) a kernel ", Span(kernel),
        " does not go with shape ", x);
  if (x.is_known() && indices.is_known())
    check(std::equal(x.dims().begin(), x.dims().end(), indices.dims().begin(), indices.dims().end(),
                     may_be_equal),
          "(C2) indices of shape ", indices, " for x of shape ", x);
  if (in.has(2)) {
    if (const auto sizes = in[2].dims(); sizes && sizes->size() == kernel.size() + 2)
      return {Fact::tensor(in[0].dtype, *sizes)};
    return {Fact::tensor(in[0].dtype, fresh_shape(kernel.size() + 2))};
  }
  if (x.is_open()) return {Fact::tensor(in[0].dtype, fresh_shape(kernel.size() + 2))};
  return {Fact::tensor(in[0].dtype, inferred_sizes(*this, x.dims()))};
}

TensorList MaxUnpool::eval(Tensors in) const {
  check_data(in[0].rank() == kernel.size() + 2, "(C3) a kernel ", Span(kernel),
             " does not go with shape ", Span(in[0].shape()));
  check_data(in[0].shape() == in[1].shape(), "(C2) indices of shape ", Span(in[1].shape()),
             " for x of shape ", Span(in[0].shape()));
  Shape inner;
  for (const Dim& size : inferred_sizes(*this, in[0].shape())) inner.push_back(*size.constant());
  const Shape outer = in.size() > 2 ? to_integers(in[2]) : inner;
  check_data(
      std::equal(inner.begin(), inner.end(), outer.begin(), outer.end(), std::less_equal<>{}),
      "(C6) sizes ", Span(outer), " for an output of ", Span(inner));
  const Shape steps = row_major_strides(outer);
  const std::int64_t room = product(inner);
  MutableTensor out = MutableTensor::zeros(in[0].dtype(), outer);
  const auto indices = in[1].as<std::int64_t>();
  for (const std::int64_t index : indices)
    check_data(index >= 0 && index < room, "(C5) index ", index, " is outside an output of ", room);
  const bool as_given = inner == outer;  // so that offsets are the same in both
  visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
    const auto from = in[0].storage_as<T>();
    const auto to = out.storage_as<T>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::int64_t offset = as_given ? indices[i] : moved_offset(indices[i], inner, steps);
      to[static_cast<std::size_t>(offset)] = from[i];
    }
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
