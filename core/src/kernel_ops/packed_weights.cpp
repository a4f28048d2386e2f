#include "kernel_ops/packed_weights.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/deconv_kernel.h"
#include "kernel_ops/packed_later.h"

namespace strata {

kernels::ConvShape PackWeights::shape(const Shape& weights) const {
  const Shape image(weights.size(), 1);  // of any size
  if (!is_transposed) return conv_shape({strides, dilations, {}, group}, weights, image, image);
  return DeconvKernel::of({strides, dilations, {}, group, {}, {}}, weights, isa)
      .shape(image, image);
}

std::int64_t PackWeights::size(const kernels::ConvShape& shape) const {
  const kernels::KernelTable& table = kernels::kernels(isa);
  return is_transposed ? table.deconv_weights_size(shape) : table.conv_weights_size(shape);
}

void PackWeights::pack(const kernels::ConvShape& shape, const float* weights, float* packed) const {
  const kernels::KernelTable& table = kernels::kernels(isa);
  std::fill_n(packed, size(shape), 0.0F);
  is_transposed ? table.pack_deconv_weights(shape, weights, packed)
                : table.pack_conv_weights(shape, weights, packed);
}

FactList PackWeights::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  return {Fact::tensor(DatumType::f32, Shape{size(shape(*in[0].shape.concrete()))})};
}

void PackWeights::run(const KernelIo& io) const {
  const Span sizes = io.inputs[0].shape;
  pack(shape(Shape(sizes.begin(), sizes.end())), io.inputs[0].as<float>(),
       io.outputs[0].as<float>());
}

std::string PackWeights::explain(Facts, Facts) const {
  return "weights that only the run tells, laid out for the convolution";
}

std::optional<Shape> weights_shape(const NodeView& node, std::size_t most_axes) {
  const Fact &x = node.input_fact(0), &weights = node.input_fact(1);
  if (!is_f32(x) || x.shape.is_open() || !is_f32(weights)) return std::nullopt;
  std::optional<Shape> shape = weights.shape.concrete();
  const bool fits =
      shape && volume(*shape) > 0 && shape->size() >= 3 && shape->size() <= 2 + most_axes;
  return fits ? shape : std::nullopt;
}

OutletId wire_packed(Patch& patch, const NodeView& node, const PackWeights& packing) {
  const Tensor* weights = node.input_fact(1).constant();
  if (!weights) return patch.wire_one("packed", packing, {node.input(1)});
  const kernels::ConvShape shape = packing.shape(weights->shape());
  const std::string key =
      cat(packing.is_transposed ? "deconv " : "conv ", static_cast<int>(packing.isa), ' ',
          packing.group, ' ', Span(packing.strides), ' ', Span(packing.dilations));
  return patch.constant("packed", packed_later(key, *weights, packing.size(shape),
                                               [=](const Tensor& from, float* to) {
                                                 packing.pack(shape, from.as<float>().data(), to);
                                               }));
}

}  // namespace strata
