#include "kernel_ops/pad_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "ops/pad_source.h"

namespace strata {
namespace {

/// Where the data are in the output: `size` elements of each axis, from `begin` on.
struct Kept {
  AxisNumbers begin, size;
};

/// Writes `element` wherever the data are not. Along each axis that is before and after them, for all
/// that the axes further out keep.
void surround(const Kept& kept, const std::byte* element, const MutableTensorView& out) {
  const Span to = out.shape;
  const auto width = static_cast<std::int64_t>(bit_width(out.dtype) / 8);
  std::int64_t slab = width;
  for (std::size_t axis = to.size(); axis-- > 0; slab *= to[axis]) {
    const std::int64_t begin = kept.begin.of[axis], end = begin + kept.size.of[axis];
    for (const kernels::Range around : {kernels::Range{0, begin}, kernels::Range{end, to[axis]}}) {
      kernels::StridedCopy copy(static_cast<std::size_t>(width));
      copy.add_outer((around.end - around.begin) * slab / width, 0, width);
      std::int64_t step = slab * to[axis], start = around.begin * slab;
      for (std::size_t outer = axis; outer-- > 0; step *= to[outer]) {
        copy.add_outer(kept.size.of[outer], 0, step);
        start += kept.begin.of[outer] * step;
      }
      copy.run(element, out.data + start);
    }
  }
}

/// Fills what lies before and after the data along each axis with what its elements say, the last
/// axis first: where an axis is filled, those behind it are whole.
void repeat(PadMode mode, Span from, Span before, const MutableTensorView& out) {
  const Span to = out.shape;
  std::int64_t slab = static_cast<std::int64_t>(bit_width(out.dtype) / 8);
  for (std::size_t axis = to.size(); axis-- > 0; slab *= to[axis]) {
    kernels::StridedCopy copy(static_cast<std::size_t>(slab));
    std::int64_t step = slab * to[axis], start = 0;
    for (std::size_t outer = axis; outer-- > 0; step *= to[outer]) {
      copy.add_outer(from[outer], step, step);
      start += before[outer] * step;
    }
    std::byte* base = out.data + start;
    for (std::int64_t i = 0; i < to[axis]; ++i) {
      const std::int64_t source = before[axis] + pad_source(i - before[axis], from[axis], mode);
      if (source != i) copy.run(base + source * slab, base + i * slab);
    }
  }
}

/// Whether the amounts are known, and take nothing away.
bool only_adds(const Fact& pads) {
  const auto amounts = pads.integers();
  return amounts && std::all_of(amounts->begin(), amounts->end(),
                                [](std::int64_t amount) { return amount >= 0; });
}

/// How much each axis grows at both ends.
struct Amounts {
  AxisNumbers before, after;
};

Amounts amounts_of(const KernelIo& io) {
  const TensorView& pads = io.inputs[1];
  const std::size_t rank = io.inputs[0].shape.size(),
                    count = io.inputs.size() > 3 ? length_of(io.inputs[3]) : rank;
  Amounts out;
  for (std::size_t i = 0; i < rank; ++i) out.before.of[i] = out.after.of[i] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis =
        io.inputs.size() > 3 ? axis_from_start(integer_at(io.inputs[3], i), rank) : i;
    out.before.of[axis] = integer_at(pads, i);
    out.after.of[axis] = integer_at(pads, count + i);
  }
  return out;
}

}  // namespace

FactList PadKernel::output_facts(Facts in) const { return Pad{mode}.output_facts(in); }

void PadKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span from = data.shape, to = io.outputs[0].shape;
  const Amounts amounts = amounts_of(io);
  if (volume(to) == 0) return;
  const std::int64_t width = width_of(data);
  std::int64_t from_step = width, to_step = width, from_offset = 0, to_offset = 0;
  kernels::StridedCopy copy(static_cast<std::size_t>(width));
  bool adds = false;
  Kept kept;
  for (std::size_t axis = from.size(); axis-- > 0;) {
    const std::int64_t first = amounts.before.of[axis], last = amounts.after.of[axis];
    check_size(from[axis] + first + last, to, axis);
    check_data(mode == PadMode::constant || from[axis] > 0, "(C5) axis ", axis,
               " has no elements to pad with");
    adds |= first > 0 || last > 0;
    from_offset += std::max<std::int64_t>(0, -first) * from_step;
    to_offset += std::max<std::int64_t>(0, first) * to_step;
    kept.begin.of[axis] = std::clamp<std::int64_t>(first, 0, to[axis]);
    kept.size.of[axis] = std::max<std::int64_t>(
        0, from[axis] + std::min<std::int64_t>(0, first) + std::min<std::int64_t>(0, last));
    copy.add_outer(kept.size.of[axis], from_step, to_step);
    from_step *= from[axis];
    to_step *= to[axis];
  }
  constexpr std::byte kZero[16] = {};
  const bool has_value = io.inputs.size() > 2 && volume(io.inputs[2].shape) == 1;
  if (adds && mode == PadMode::constant)
    surround(kept, has_value ? io.inputs[2].data : kZero, io.outputs[0]);
  copy.run(data.data + from_offset, io.outputs[0].data + to_offset);
  if (adds && mode != PadMode::constant)
    repeat(mode, from, Span(amounts.before.of, from.size()), io.outputs[0]);
}

/// Pad along constant axes -> PadKernel
Rewrite lower_pad(const NodeView& node, const Target&) {
  const Pad* pad = node.op().as<Pad>();
  if (!pad || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      !node.input_fact(1).shape.concrete() || !is_known_index(node, 3))
    return no_change;
  if (pad->mode != PadMode::constant && !only_adds(node.input_fact(1))) return no_change;
  return replace(node, PadKernel{pad->mode}, node.inputs());
}

}  // namespace strata
