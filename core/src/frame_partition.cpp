#include "frame_partition.h"

#include "kernel_ops/concat_kernel.h"
#include "kernel_ops/split_kernel.h"
#include "strata/core/ops/support.h"

namespace strata {

std::optional<Partition> partition_of(const FrameStep& step, const FrameSizes& sizes) {
  const auto* join = step.node->op.as<ConcatKernel>();
  const auto* split = step.node->op.as<SplitKernel>();
  if (!join && !split) return std::nullopt;
  const Plan::Schedule::Places &in = step.scheduled->inputs, &out = step.scheduled->outputs;
  Partition partition{.whole = join ? out[0] : in[0], .parts = join ? in : out, .is_join = !!join};
  const Span whole = sizes.shape_of(partition.whole);
  const std::size_t axis = normalized_axis(join ? join->axis : split->axis, whole.size());
  if (product(whole.first(axis)) != 1) return std::nullopt;
  const std::size_t slice = static_cast<std::size_t>(product(whole.subspan(axis + 1))) *
                            (bit_width(step.outputs[0].dtype) / 8);
  std::int64_t before = 0;
  for (const std::uint32_t v : partition.parts) {
    const Shape& part = sizes.shape_of(v);
    Shape as_part(whole.begin(), whole.end());
    if (part.size() != whole.size()) return std::nullopt;
    as_part[axis] = part[axis];
    if (as_part != part) return std::nullopt;
    partition.offsets.push_back(static_cast<std::size_t>(before) * slice);
    before += part[axis];
  }
  return before == whole[axis] ? std::optional(std::move(partition)) : std::nullopt;
}

}  // namespace strata
