#include "kernel_ops/norm_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
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

FactList NormKernel::output_facts(Facts in) const {
  if (kind == NormKind::elements) return LayerNorm{axis, epsilon}.output_facts(in);
  const bool is_rms = kind == NormKind::rms;
  check_arity(name, in, is_rms ? 1 : 3, is_rms ? 2 : 3);
  const Fact* x[] = {&in[0]};
  return LayerNorm{axis, epsilon}.output_facts(Facts(x));
}

void NormKernel::run(const KernelIo& io) const {
  const Span shape = io.inputs[0].shape;
  const std::size_t at = axis_from_start(axis, shape.size());
  kernels::LayerNorm call{.form = kind == NormKind::rms ? kernels::NormForm::root_mean_square
                                                        : kernels::NormForm::centred,
                          .rows = volume(shape.first(at)),
                          .columns = volume(shape.subspan(at)),
                          .epsilon = epsilon,
                          .x = io.inputs[0].as<float>(),
                          .channels = kind == NormKind::channels ? shape[at - 1] : 0,
                          .y = io.outputs[0].as<float>()};
  if (io.inputs.size() > 1) call.scale = io.inputs[1].as<float>();
  if (io.inputs.size() > 2) call.bias = io.inputs[2].as<float>();
  const std::int64_t numbers = kind == NormKind::channels ? call.channels : call.columns;
  for (std::size_t i = 1; i < io.inputs.size(); ++i)
    check_data(volume(io.inputs[i].shape) == numbers, "(C4) ", Span(io.inputs[i].shape),
               " does not stretch to ", shape);
  if (call.columns == 0) return;
  share_range(io, work_on(2 * call.rows * call.columns, 5), call.rows, 1, [&](kernels::Range rows) {
    kernels::LayerNorm part = call;
    part.rows = rows.end - rows.begin;
    part.first = rows.begin;
    part.x += rows.begin * call.columns;
    part.y += rows.begin * call.columns;
    kernels::kernels(isa).layer_norm(part);
  });
}

std::string NormKernel::explain(Facts in, Facts) const {
  const bool has_operands = in.size() > 1;
  return explain_vectors("norm of rows", isa,
                         !has_operands                ? "no scale is near"
                         : kind == NormKind::channels ? "scale and bias are of a row's channel"
                                                      : "scale and bias are of a row's elements");
}

/// LayerNorm of f32 -> NormKernel
Rewrite lower_layer_norm(const NodeView& node, const Target& target) {
  const LayerNorm* norm = node.op().as<LayerNorm>();
  if (!norm || !moves_bytes(node) || !is_f32(node.input_fact(0))) return no_change;
  const ShapeFact& x = node.input_fact(0).shape;
  const std::size_t axis = normalized_axis(norm->axis, x.rank());
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    if (!spans_rows(node.input_fact(i).shape, x, axis)) return no_change;
  return replace(node, NormKernel{NormKind::elements, norm->axis, norm->epsilon, target.isa},
                 node.inputs());
}

}  // namespace strata
