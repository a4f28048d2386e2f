#include "kernel_ops/view_kernel.h"

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata {
namespace {

/// Whether the op alone tells the shape that it makes. Where the data do, or the size of a symbol,
/// the model may say another one.
bool is_told(const NodeView& node) {
  return node.inputs().size() > 1 ? node.input_fact(1).dims().has_value()
                                  : node.input_fact(0).shape.concrete().has_value();
}

/// What `use` makes of the portable op of this kind.
template <class Use>
auto with_portable(const ViewKernel& view, const Use& use) {
  switch (view.kind) {
    case ViewKind::squeeze:
      return use(Squeeze{});
    case ViewKind::unsqueeze:
      return use(Unsqueeze{});
    case ViewKind::reshape:
      break;
  }
  return use(Reshape{view.zero});
}

}  // namespace

FactList ViewKernel::output_facts(Facts in) const {
  return with_portable(*this, [&](const auto& op) { return op.output_facts(in); });
}

TensorList ViewKernel::eval(Tensors in) const {
  return with_portable(*this, [&](const auto& op) { return op.eval(in); });
}

void ViewKernel::run(const KernelIo& io) const {
  const TensorView& in = io.inputs[0];
  const MutableTensorView& out = io.outputs[0];
  const std::int64_t count = volume(in.shape);
  check_data(count == volume(out.shape), "(C4) shape ", Span(in.shape), " does not reshape to ",
             Span(out.shape));
  if (in.data != out.data)
    kernels::copy_bytes(out.data, in.data, static_cast<std::size_t>(count * width_of(in)));
}

/// Reshape, Squeeze or Unsqueeze of a shape that is told -> ViewKernel
Rewrite lower_reshape(const NodeView& node, const Target&) {
  ViewKernel view;
  if (const Reshape* reshape = node.op().as<Reshape>())
    view = {ViewKind::reshape, reshape->zero};
  else if (node.op().as<Squeeze>())
    view.kind = ViewKind::squeeze;
  else if (node.op().as<Unsqueeze>())
    view.kind = ViewKind::unsqueeze;
  else
    return no_change;
  if (!moves_bytes(node) || !is_told(node)) return no_change;
  return replace(node, view, node.inputs());
}

}  // namespace strata
