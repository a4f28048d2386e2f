#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/patch.h"

/// What convolution kernels have in common: in place of an op's own weights they read packed ones,
/// of a shape that only the kernel knows.
namespace strata {

/// The facts that `op` gives on x and f32 weights of this shape.
template <class Op>
FactList facts_unpacked(const Op& op, const Fact& x, const Shape& weights) {
  const Fact w = Fact::tensor(DatumType::f32, weights);
  const Fact* operands[] = {&x, &w};
  return op.output_facts(Facts(operands));
}

template <class Op>
Cost cost_unpacked(const Op& op, const Fact& x, const Shape& weights, Facts out) {
  const Fact w = Fact::tensor(DatumType::f32, weights);
  const Fact* operands[] = {&x, &w};
  return op.cost(Facts(operands), out);
}

/// Packs the weights of a convolution, or of its transpose, that are known only in a run, as
/// ConvKernel or DeconvKernel takes them.
///
///   inputs   weights f32, of a known shape
///   output   f32[packed size]
struct PackWeights {
  static constexpr std::string_view name = "PackWeights";
  bool is_transposed = false;
  Shape strides;
  Shape dilations;
  std::int64_t group = 1;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("is_transposed", &PackWeights::is_transposed),
                      attr("strides", &PackWeights::strides),
                      attr("dilations", &PackWeights::dilations),
                      attr("group", &PackWeights::group), attr("isa", &PackWeights::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;

  /// The sizes of the convolution; the packed weights depend only on those of the weights.
  kernels::ConvShape shape(const Shape& weights) const;
  std::int64_t size(const kernels::ConvShape& shape) const;
  /// Writes `size(shape)` floats.
  void pack(const kernels::ConvShape& shape, const float* weights, float* packed) const;
};
static_assert(OpDef<PackWeights>);

/// The shape of the f32 weights of a convolution, or of its transpose, along one to `most_axes`
/// axes; nothing where it is not known, or the node is of another type.
std::optional<Shape> weights_shape(const NodeView& node, std::size_t most_axes);

/// Input 1 of the node as the kernel takes it: packed once where it is constant, in each run
/// otherwise.
OutletId wire_packed(Patch& patch, const NodeView& node, const PackWeights& packing);

/// The kernel in place of the node, on packed weights.
template <class Kernel>
Rewrite replace_packed(const NodeView& node, const Kernel& kernel, const PackWeights& packing) {
  Patch patch(node);
  OutletIds inputs = node.inputs();
  inputs[1] = wire_packed(patch, node, packing);
  patch.shunt(node.output(), patch.wire_one("", kernel, inputs));
  return patch;
}

}  // namespace strata
