#include "kernel_ops/concat_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/concat.h"

namespace strata {

FactList ConcatKernel::output_facts(Facts in) const { return Concat{axis}.output_facts(in); }

void ConcatKernel::run(const KernelIo& io) const {
  const Span to = io.outputs[0].shape;
  const std::size_t at = axis_from_start(axis, to.size());
  const std::int64_t outer = volume(to.first(at)),
                     inner = volume(to.subspan(at + 1)) * width_of(io.inputs[0]);
  std::int64_t total = 0;
  std::byte* begin = io.outputs[0].data;
  for (const TensorView& part : io.inputs) {
    const Span from = part.shape;
    for (std::size_t i = 0; i < to.size(); ++i)
      check_data(i == at || from[i] == to[i], "(C4) ", from, " does not join ", to, " on axis ",
                 at);
    total += from[at];
    if (total > to[at]) break;
    const std::int64_t run = from[at] * inner;
    if (part.data != begin && run > 0) {
      kernels::StridedCopy copy(static_cast<std::size_t>(run));
      copy.add_outer(outer, run, to[at] * inner);
      run_copy(io, copy, part.data, begin);
    }
    begin += run;
  }
  check_size(total, to, at);
}

std::string ConcatKernel::explain(Facts, Facts out) const {
  return explain_runs("join, rows", out[0], axis_from_start(axis, out[0].shape.rank()));
}

/// Concat -> ConcatKernel
Rewrite lower_concat(const NodeView& node, const Target&) {
  const Concat* concat = node.op().as<Concat>();
  if (!concat || !moves_bytes(node)) return no_change;
  return replace(node, ConcatKernel{concat->axis}, node.inputs());
}

}  // namespace strata
