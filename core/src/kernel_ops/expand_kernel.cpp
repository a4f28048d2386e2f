#include "kernel_ops/expand_kernel.h"

#include <algorithm>

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/expand.h"

namespace strata {

FactList ExpandKernel::output_facts(Facts in) const { return Expand{}.output_facts(in); }

void ExpandKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &target = io.inputs[1];
  const Span from = data.shape, to = io.outputs[0].shape;
  const std::size_t length = length_of(target);
  std::int64_t from_step = width_of(data), to_step = from_step;
  kernels::StridedCopy copy(static_cast<std::size_t>(from_step));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t axis = to.size() - 1 - i;
    const std::int64_t had = i < from.size() ? from[from.size() - 1 - i] : 1,
                       wanted = i < length ? integer_at(target, length - 1 - i) : 1;
    check_data(had == wanted || had == 1 || wanted == 1, "(C2) ", from,
               " does not broadcast to size ", wanted, " of axis ", axis);
    check_size(had == 1 ? wanted : had, to, axis);
    copy.add_outer(to[axis], had == 1 ? 0 : from_step, to_step);
    from_step *= had;
    to_step *= to[axis];
  }
  run_copy(io, copy, data.data, io.outputs[0].data);
}

std::string ExpandKernel::explain(Facts, Facts) const { return std::string(kAnyCopy); }

/// Expand -> ExpandKernel
Rewrite lower_expand(const NodeView& node, const Target&) {
  if (!node.op().as<Expand>() || !moves_bytes(node) || !is_index(node.input_fact(1)))
    return no_change;
  return replace(node, ExpandKernel{}, node.inputs());
}

}  // namespace strata
