#include "kernel_ops/pad_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "ops/pad_source.h"

namespace strata {
namespace {

/// How each axis changes. A slab is the elements at one index of an axis, over all axes after it.
struct Padding {
  std::size_t rank;
  AxisNumbers from, to;       ///< sizes
  AxisNumbers before, after;  ///< how much an axis grows at both ends; negative takes away

  bool keeps(std::size_t axis) const { return before.of[axis] == 0 && after.of[axis] == 0; }
  bool adds() const {
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (before.of[axis] > 0 || after.of[axis] > 0) return true;
    return false;
  }
  bool cuts() const {
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (before.of[axis] < 0 || after.of[axis] < 0) return true;
    return false;
  }
  /// The data in the output: `kept` elements of an axis, from `begin` on.
  std::int64_t begin(std::size_t axis) const {
    return std::clamp<std::int64_t>(before.of[axis], 0, to.of[axis]);
  }
  std::int64_t kept(std::size_t axis) const {
    return std::max<std::int64_t>(0, from.of[axis] + std::min<std::int64_t>(0, before.of[axis]) +
                                         std::min<std::int64_t>(0, after.of[axis]));
  }
};

/// One tensor to pad, or a part of it.
struct Places {
  const KernelIo& io;
  std::int64_t width;
  const std::byte* from;
  std::byte* to;
};

void copy_data(const Padding& padding, const Places& at) {
  std::int64_t from_step = at.width, to_step = at.width, from_offset = 0, to_offset = 0;
  kernels::StridedCopy copy(static_cast<std::size_t>(at.width));
  for (std::size_t axis = padding.rank; axis-- > 0;) {
    from_offset += std::max<std::int64_t>(0, -padding.before.of[axis]) * from_step;
    to_offset += std::max<std::int64_t>(0, padding.before.of[axis]) * to_step;
    copy.add_outer(padding.kept(axis), from_step, to_step);
    from_step *= padding.from.of[axis];
    to_step *= padding.to.of[axis];
  }
  run_copy(at.io, copy, at.from + from_offset, at.to + to_offset);
}

/// Writes `element` around the data: along each axis before and after them, within the range that
/// the axes further out keep.
void surround(const Padding& padding, const std::byte* element, const Places& at) {
  std::int64_t slab = at.width;
  for (std::size_t axis = padding.rank; axis-- > 0; slab *= padding.to.of[axis]) {
    const std::int64_t begin = padding.begin(axis), end = begin + padding.kept(axis),
                       size = padding.to.of[axis];
    for (const kernels::Range around : {kernels::Range{0, begin}, kernels::Range{end, size}}) {
      kernels::StridedCopy copy(static_cast<std::size_t>(at.width));
      copy.add_outer((around.end - around.begin) * slab / at.width, 0, at.width);
      std::int64_t step = slab * size, start = around.begin * slab;
      for (std::size_t outer = axis; outer-- > 0; step *= padding.to.of[outer]) {
        copy.add_outer(padding.kept(outer), 0, step);
        start += padding.begin(outer) * step;
      }
      run_copy(at.io, copy, element, at.to + start);
    }
  }
}

/// Fills the range before and after the data along each axis with copies of slabs, the last axis
/// first, so that the slabs of an axis are complete when it is filled.
void repeat(const Padding& padding, PadMode mode, const Places& at) {
  std::int64_t slab = at.width;
  for (std::size_t axis = padding.rank; axis-- > 0; slab *= padding.to.of[axis]) {
    if (padding.keeps(axis)) continue;
    kernels::StridedCopy copy(static_cast<std::size_t>(slab));
    std::int64_t step = slab * padding.to.of[axis], start = 0;
    for (std::size_t outer = axis; outer-- > 0; step *= padding.to.of[outer]) {
      copy.add_outer(padding.from.of[outer], step, step);
      start += padding.before.of[outer] * step;
    }
    std::byte* base = at.to + start;
    const std::int64_t before = padding.before.of[axis], size = padding.from.of[axis];
    for (const kernels::Range around :
         {kernels::Range{0, before}, kernels::Range{before + size, padding.to.of[axis]}})
      for (std::int64_t i = around.begin; i < around.end; ++i) {
        const std::int64_t source = before + pad_source(i - before, size, mode);
        run_copy(at.io, copy, base + source * slab, base + i * slab);
      }
  }
}

/// The same if some amounts are negative, and may take away what others repeat: element by element,
/// with slabs along `axis` from `from` on. Returns the end of what it wrote.
std::byte* repeat_cut(const Padding& padding, PadMode mode, std::int64_t width, std::size_t axis,
                      const std::byte* from, std::byte* to) {
  if (axis == padding.rank) return std::copy_n(from, width, to);
  const std::int64_t slab =
      volume(Span(padding.from.of + axis + 1, padding.rank - axis - 1)) * width;
  for (std::int64_t i = 0; i < padding.to.of[axis]; ++i) {
    const std::int64_t at = pad_source(i - padding.before.of[axis], padding.from.of[axis], mode);
    to = repeat_cut(padding, mode, width, axis + 1, from + at * slab, to);
  }
  return to;
}

Padding padding_of(const KernelIo& io) {
  const TensorView& pads = io.inputs[1];
  const Span from = io.inputs[0].shape, to = io.outputs[0].shape;
  const std::size_t count = io.inputs.size() > 3 ? length_of(io.inputs[3]) : from.size();
  Padding out{from.size(), {}, {}, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis =
        io.inputs.size() > 3 ? axis_from_start(integer_at(io.inputs[3], i), from.size()) : i;
    out.before.of[axis] = integer_at(pads, i);
    out.after.of[axis] = integer_at(pads, count + i);
  }
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    out.from.of[axis] = from[axis];
    out.to.of[axis] = to[axis];
    check_size(from[axis] + out.before.of[axis] + out.after.of[axis], to, axis);
  }
  return out;
}

/// The same with unchanged leading axes joined to one.
Padding with_joined_axes(const Padding& all) {
  std::size_t joined = 0;
  while (joined < all.rank && all.keeps(joined)) ++joined;
  if (joined == 0) return all;
  Padding out{all.rank - joined + 1, {}, {}, {}, {}};
  out.from.of[0] = volume(Span(all.from.of, joined));
  out.to.of[0] = out.from.of[0];
  for (std::size_t axis = joined; axis < all.rank; ++axis) {
    const std::size_t to = axis - joined + 1;
    out.from.of[to] = all.from.of[axis];
    out.to.of[to] = all.to.of[axis];
    out.before.of[to] = all.before.of[axis];
    out.after.of[to] = all.after.of[axis];
  }
  return out;
}

constexpr std::int64_t kNearBytes = 65536;  ///< still in a near cache when edges are written

}  // namespace

FactList PadKernel::output_facts(Facts in) const { return Pad{mode}.output_facts(in); }

void PadKernel::run(const KernelIo& io) const {
  const Span from = io.inputs[0].shape, to = io.outputs[0].shape;
  const Padding all = padding_of(io), padding = with_joined_axes(all);
  for (std::size_t axis = 0; mode != PadMode::constant && axis < from.size(); ++axis)
    check_data(from[axis] > 0 || to[axis] == 0, "(C5) axis ", axis, " has no elements to pad with");
  if (volume(to) == 0) return;
  const bool has_value = io.inputs.size() > 2 && volume(io.inputs[2].shape) == 1;
  constexpr std::byte kZero[16] = {};
  const std::byte* element = has_value ? io.inputs[2].data : kZero;
  const auto pad = [&](const Padding& part, const Places& at) {
    if (mode != PadMode::constant && part.cuts()) {
      (void)repeat_cut(part, mode, at.width, 0, at.from, at.to);
      return;
    }
    copy_data(part, at);
    if (!part.adds()) return;
    if (mode == PadMode::constant)
      surround(part, element, at);
    else
      repeat(part, mode, at);
  };
  const std::int64_t width = width_of(io.inputs[0]);
  const Places whole{io, width, io.inputs[0].data, io.outputs[0].data};
  if (padding.rank == 0 || !padding.keeps(0)) return pad(padding, whole);
  const std::int64_t outer = padding.to.of[0],
                     from_slab = volume(Span(padding.from.of + 1, padding.rank - 1)) * width,
                     to_slab = volume(Span(padding.to.of + 1, padding.rank - 1)) * width;
  const std::int64_t together = std::max<std::int64_t>(1, kNearBytes / to_slab);
  const WorkSize work{0, static_cast<double>(outer) * static_cast<double>(from_slab + to_slab)};
  share_range(io, work, outer, together, [&](kernels::Range range) {
    for (std::int64_t at = range.begin; at < range.end; at += together) {
      Padding part = padding;
      part.from.of[0] = part.to.of[0] = std::min(together, range.end - at);
      pad(part, {io, width, whole.from + at * from_slab, whole.to + at * to_slab});
    }
  });
}

std::string PadKernel::explain(Facts, Facts) const {
  return cat(kAnyCopy, mode == PadMode::constant ? "; around it one element again and again"
                                                 : "; around it what it holds, axis by axis");
}

/// Pad along constant axes -> PadKernel
Rewrite lower_pad(const NodeView& node, const Target&) {
  const Pad* pad = node.op().as<Pad>();
  if (!pad || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      !node.input_fact(1).shape.concrete() || !is_known_index(node, 3))
    return no_change;
  return replace(node, PadKernel{pad->mode}, node.inputs());
}

}  // namespace strata
