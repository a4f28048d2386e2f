#include "kernel_ops/pad_kernel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernel_ops/movement.h"
#include "ops/pad_source.h"

namespace strata {
namespace {

/// All elements of `out` become `value`, or zero where there is none.
void fill(const MutableTensorView& out, const TensorView* value) {
  visit_storage(out.dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      T element{};
      if (value && volume(value->shape) == 1) std::memcpy(&element, value->data, sizeof element);
      std::fill_n(out.as<T>(), volume(out.shape), element);
    }
  });
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

}  // namespace

FactList PadKernel::output_facts(Facts in) const { return Pad{mode}.output_facts(in); }

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
    check_data(mode == PadMode::constant || from[axis] > 0, "(C5) axis ", axis,
               " has no elements to pad with");
    adds |= first > 0 || last > 0;
    from_offset += std::max<std::int64_t>(0, -first) * from_step;
    to_offset += std::max<std::int64_t>(0, first) * to_step;
    const std::int64_t kept =
        from[axis] + std::min<std::int64_t>(0, first) + std::min<std::int64_t>(0, last);
    copy.add_outer(std::max<std::int64_t>(0, kept), from_step, to_step);
    from_step *= from[axis];
    to_step *= to[axis];
  }
  if (adds && mode == PadMode::constant)
    fill(io.outputs[0], io.inputs.size() > 2 ? &io.inputs[2] : nullptr);
  copy.run(data.data + from_offset, io.outputs[0].data + to_offset);
  if (adds && mode != PadMode::constant)
    repeat(mode, from, Span(before.of, from.size()), io.outputs[0]);
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
