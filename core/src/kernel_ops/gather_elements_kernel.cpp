#include "kernel_ops/gather_elements_kernel.h"

#include "kernel_ops/picked_elements.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/gather_elements.h"

namespace strata {

FactList GatherElementsKernel::output_facts(Facts in) const {
  return GatherElements{axis}.output_facts(in);
}

void GatherElementsKernel::run(const KernelIo& io) const {
  const TensorView &data = io.inputs[0], &indices = io.inputs[1];
  const Span from = data.shape, to = indices.shape;
  const std::size_t at = axis_from_start(axis, from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    check_data(i == at || to[i] <= from[i], "(C3) indices of shape ", to, " leave data of ", from);
  const std::int64_t count = volume(to);
  if (count == 0) return;
  const PickedElements picked(from, indices, at);
  share_range(io, work_on(2 * count, 10), count, kElementStep, [&](kernels::Range part) {
    visit_width(data.dtype, [&]<class T>(TypeTag<T>) {
      const T* x = data.as<T>();
      picked.for_rows(part, [&](const PickedElements::Row& row) {
        T* y = io.outputs[0].as<T>() + row.n;
        if (row.is_along_picks())
          for (std::int64_t i = 0; i < row.count; ++i) y[i] = x[row.begin + row.pick(i)];
        else
          for (std::int64_t i = 0; i < row.count; ++i) y[i] = x[row[i]];
      });
    });
  });
}

std::string GatherElementsKernel::explain(Facts, Facts) const {
  return "gather, element by element";
}

/// GatherElements by i32 or i64 indices -> GatherElementsKernel
Rewrite lower_gather_elements(const NodeView& node, const Target&) {
  const GatherElements* gather = node.op().as<GatherElements>();
  if (!gather || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      node.input_fact(0).shape.rank() != node.input_fact(1).shape.rank())
    return no_change;
  return replace(node, GatherElementsKernel{gather->axis}, node.inputs());
}

}  // namespace strata
