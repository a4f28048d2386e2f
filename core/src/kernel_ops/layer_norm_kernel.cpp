#include "kernel_ops/layer_norm_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/layer_norm.h"

namespace strata {
namespace {

/// Whether the operand is as large as the last axes of x, from `axis` on, but for leading ones.
bool spans_rows(const ShapeFact& operand, const ShapeFact& x, std::size_t axis) {
  if (operand.is_open() || operand.rank() > x.rank()) return false;
  const std::size_t shift = x.rank() - operand.rank();
  for (std::size_t i = 0; i < x.rank(); ++i) {
    const Dim own = i < shift ? Dim(1) : operand[i - shift];
    if (own != (i < axis ? Dim(1) : x[i])) return false;
  }
  return true;
}

}  // namespace

FactList LayerNormKernel::output_facts(Facts in) const {
  return LayerNorm{axis, epsilon}.output_facts(in);
}

void LayerNormKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const std::size_t at = axis_from_start(axis, shape.size());
  kernels::LayerNorm call{.rows = volume(shape.first(at)),
                          .columns = volume(shape.subspan(at)),
                          .epsilon = epsilon,
                          .x = io.inputs[0].as<float>(),
                          .y = io.outputs[0].as<float>()};
  if (io.inputs.size() > 1) call.scale = io.inputs[1].as<float>();
  if (io.inputs.size() > 2) call.bias = io.inputs[2].as<float>();
  for (std::size_t i = 1; i < io.inputs.size(); ++i)
    check_data(volume(io.inputs[i].shape) == call.columns, "(C4) ", Span(io.inputs[i].shape),
               " does not stretch to ", shape);
  if (call.columns == 0) return;
  share_range(io, work_on(2 * call.rows * call.columns, 5), call.rows, 1, [&](kernels::Range rows) {
    kernels::LayerNorm part = call;
    part.rows = rows.end - rows.begin;
    part.x += rows.begin * call.columns;
    part.y += rows.begin * call.columns;
    kernels::kernels(isa).layer_norm(part);
  });
}

/// LayerNorm of f32 -> LayerNormKernel
Rewrite lower_layer_norm(const NodeView& node, const Target& target) {
  const LayerNorm* norm = node.op().as<LayerNorm>();
  if (!norm || !moves_bytes(node) || !is_f32(node.input_fact(0))) return no_change;
  const ShapeFact& x = node.input_fact(0).shape;
  const std::size_t axis = normalized_axis(norm->axis, x.rank());
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    if (!spans_rows(node.input_fact(i).shape, x, axis)) return no_change;
  return replace(node, LayerNormKernel{norm->axis, norm->epsilon, target.isa}, node.inputs());
}

}  // namespace strata
