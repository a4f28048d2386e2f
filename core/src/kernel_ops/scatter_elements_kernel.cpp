#include "kernel_ops/scatter_elements_kernel.h"

#include <algorithm>

#include "kernel_ops/picked_elements.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/scatter_join.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

void update(const KernelIo& io, ScatterReduction reduction, const PickedElements& picked,
            kernels::Range part) {
  const TensorView& updates = io.inputs[2];
  const MutableTensorView& out = io.outputs[0];
  const ScatterJoin join(reduction, out.dtype);
  const std::int64_t width = width_of(updates);
  picked.for_rows(part, [&](PickedElements::Row row) {
    if (reduction == ScatterReduction::none)
      return visit_width(out.dtype, [&, row]<class T>(TypeTag<T>) {
        const T* x = updates.as<T>() + row.n;
        T* y = out.as<T>();
        for (std::int64_t i = 0; i < row.count; ++i) y[row[i]] = x[i];
      });
    for (std::int64_t i = 0; i < row.count; ++i)
      join(out.data + row[i] * width, updates.data + (row.n + i) * width, 1);
  });
}

}  // namespace

/// All threads copy data; updates of different places before the axis never meet, so each thread
/// has some of these places.
void ScatterElementsKernel::run(const KernelIo& io) const {
  const Span data = io.inputs[0].shape, indices = io.inputs[1].shape, updates = io.inputs[2].shape;
  const std::size_t at = axis_from_start(axis, data.size());
  const std::int64_t count = volume(indices);
  check_data(std::ranges::equal(indices, updates), "(C3) updates of shape ", updates,
             " for indices of shape ", indices);
  for (std::size_t i = 0; i < data.size(); ++i)
    check_data(i == at || count == 0 || indices[i] <= data[i], "(C4) indices of shape ", indices,
               " leave data of ", data);
  copy_data(io);
  if (count == 0) return;
  const PickedElements picked(data, io.inputs[1], at);
  const std::int64_t places = volume(indices.first(at)), each = count / places;
  share_range(io, work_on(2 * count, 20), places, 1, [&](kernels::Range part) {
    update(io, reduction, picked, {part.begin * each, part.end * each});
  });
}

std::string ScatterElementsKernel::explain(Facts, Facts) const {
  return "scatter, element by element; threads share the places before the axis";
}

/// ScatterElements by i32 or i64 indices -> ScatterElementsKernel
Rewrite lower_scatter_elements(const NodeView& node, const Target&) {
  const ScatterElements* scatter = node.op().as<ScatterElements>();
  if (!scatter || !moves_bytes(node) || !is_index(node.input_fact(1)) ||
      node.input_fact(0).shape.rank() != node.input_fact(1).shape.rank() ||
      node.input_fact(0).shape.rank() != node.input_fact(2).shape.rank())
    return no_change;
  return replace(node, ScatterElementsKernel{scatter->axis, scatter->reduction}, node.inputs());
}

}  // namespace strata
