#include "kernel_ops/slice_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "ops/slice_cut.h"
#include "strata/core/ops/slice.h"

namespace strata {

FactList SliceKernel::output_facts(Facts in) const { return Slice{}.output_facts(in); }

TensorList SliceKernel::eval(Tensors in) const {
  const SlicedView view = sliced_view(in);
  MutableTensor out(in[0].dtype(), view.shape);
  const auto width = static_cast<std::int64_t>(bit_width(out.dtype()) / 8);
  std::int64_t step = width;
  kernels::StridedCopy copy(static_cast<std::size_t>(width));
  for (std::size_t axis = view.shape.size(); axis-- > 0; step *= view.shape[axis])
    copy.add_outer(view.shape[axis], view.strides[axis] * width, step);
  copy.run(in[0].data() + view.offset * width, out.data());
  return {std::move(out).freeze()};
}

void SliceKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &starts = io.inputs[1], &ends = io.inputs[2];
  const Span from = data.shape, to = io.outputs[0].shape;
  AxisNumbers start, step;
  for (std::size_t i = 0; i < from.size(); ++i) start.of[i] = 0, step.of[i] = 1;
  for (std::size_t i = 0; i < length_of(starts); ++i) {
    const std::size_t axis =
        io.inputs.size() > 3 ? axis_from_start(integer_at(io.inputs[3], i), from.size()) : i;
    if (io.inputs.size() > 4) step.of[axis] = integer_at(io.inputs[4], i);
    const Cut taken = cut(from[axis], integer_at(starts, i), integer_at(ends, i), step.of[axis]);
    check_size(taken.count, to, axis);
    start.of[axis] = taken.start;
  }
  if (volume(to) == 0) return;
  std::int64_t from_step = width_of(data), to_step = from_step, offset = 0;
  kernels::StridedCopy copy(static_cast<std::size_t>(from_step));
  for (std::size_t axis = from.size(); axis-- > 0;) {
    offset += start.of[axis] * from_step;
    copy.add_outer(to[axis], to[axis] > 1 ? from_step * step.of[axis] : 0, to_step);
    from_step *= from[axis];
    to_step *= to[axis];
  }
  run_copy(io, copy, data.data + offset, io.outputs[0].data);
}

std::string SliceKernel::explain(Facts, Facts) const { return std::string(kAnyCopy); }

/// Slice along constant axes by constant steps -> SliceKernel
Rewrite lower_slice(const NodeView& node, const Target&) {
  if (!node.op().as<Slice>() || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      !is_index(node.input_fact(2)) || !is_known_index(node, 3) || !is_known_index(node, 4))
    return no_change;
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    if (!node.input_fact(i).shape.concrete()) return no_change;
  return replace(node, SliceKernel{}, node.inputs());
}

}  // namespace strata
