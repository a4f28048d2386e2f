#include "kernel_ops/split_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/split.h"

namespace strata {

FactList SplitKernel::output_facts(Facts in) const { return Split{axis, outputs}.output_facts(in); }

void SplitKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span from = data.shape;
  const std::size_t at = axis_from_start(axis, from.size());
  const std::int64_t outer = volume(from.first(at)),
                     inner = volume(from.subspan(at + 1)) * width_of(data);
  std::int64_t total = 0;
  const std::byte* begin = data.data;
  for (const MutableTensorView& part : io.outputs) {
    const std::int64_t size = part.shape[at], run = size * inner;
    total += size;
    check_data(total <= from[at], "(C4) the sizes do not sum up to ", from[at]);
    if (run > 0 && part.data != begin) {
      kernels::StridedCopy copy(static_cast<std::size_t>(run));
      copy.add_outer(outer, from[at] * inner, run);
      run_copy(io, copy, begin, part.data);
    }
    begin += run;
  }
  check_data(total == from[at], "(C4) the sizes do not sum up to ", from[at]);
}

std::string SplitKernel::explain(Facts in, Facts) const {
  return explain_runs("split, rows", in[0], axis_from_start(axis, in[0].shape.rank()));
}

/// Split into parts of known sizes -> SplitKernel
Rewrite lower_split(const NodeView& node, const Target&) {
  const Split* split = node.op().as<Split>();
  if (!split || !moves_bytes(node)) return no_change;
  if (node.inputs().size() > 1 && !node.input_fact(1).dims()) return no_change;
  return replace(node, SplitKernel{split->axis, split->outputs}, node.inputs());
}

}  // namespace strata
