#include "kernel_ops/pad_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "strata/core/ops/pad.h"

namespace strata {
namespace {

/// All elements of `out` become `value`, or zero where there is none.
void fill(const MutableTensorView& out, const TensorView* value, std::int64_t width) {
  static constexpr std::byte kZero[16] = {};
  kernels::StridedCopy copy(static_cast<std::size_t>(width));
  copy.add_outer(volume(out.shape), 0, width);
  copy.run(value && volume(value->shape) == 1 ? value->data : kZero, out.data);
}

}  // namespace

FactList PadKernel::output_facts(Facts in) const { return Pad{}.output_facts(in); }

void PadKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &pads = io.inputs[1];
  const Span from = data.shape, to = io.outputs[0].shape;
  const std::size_t count = io.inputs.size() > 3 ? length_of(io.inputs[3]) : from.size();
  AxisNumbers before, after;
  for (std::size_t i = 0; i < from.size(); ++i) before.of[i] = after.of[i] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis =
        io.inputs.size() > 3 ? axis_from_start(integer_at(io.inputs[3], i), from.size()) : i;
    before.of[axis] = integer_at(pads, i);
    after.of[axis] = integer_at(pads, count + i);
  }
  if (volume(to) == 0) return;
  const std::int64_t width = width_of(data);
  std::int64_t from_step = width, to_step = width, from_offset = 0, to_offset = 0;
  kernels::StridedCopy copy(static_cast<std::size_t>(width));
  bool adds = false;
  for (std::size_t axis = from.size(); axis-- > 0;) {
    const std::int64_t first = before.of[axis], last = after.of[axis];
    check_size(from[axis] + first + last, to, axis);
    adds |= first > 0 || last > 0;
    from_offset += std::max<std::int64_t>(0, -first) * from_step;
    to_offset += std::max<std::int64_t>(0, first) * to_step;
    const std::int64_t kept =
        from[axis] + std::min<std::int64_t>(0, first) + std::min<std::int64_t>(0, last);
    copy.add_outer(std::max<std::int64_t>(0, kept), from_step, to_step);
    from_step *= from[axis];
    to_step *= to[axis];
  }
  if (adds) fill(io.outputs[0], io.inputs.size() > 2 ? &io.inputs[2] : nullptr, width);
  copy.run(data.data + from_offset, io.outputs[0].data + to_offset);
}

/// Pad with a constant along constant axes -> PadKernel
Rewrite lower_pad(const NodeView& node, const Target&) {
  const Pad* pad = node.op().as<Pad>();
  if (!pad || pad->mode != PadMode::constant || !moves_bytes(node) ||
      !is_index(node.input_fact(1)) || !node.input_fact(1).shape.concrete() ||
      !is_known_index(node, 3))
    return no_change;
  return replace(node, PadKernel{}, node.inputs());
}

}  // namespace strata
