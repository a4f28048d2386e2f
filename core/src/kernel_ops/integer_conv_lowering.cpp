#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/integer_conv_kernel.h"
#include "kernel_ops/rules.h"

/// Where convolutions of bytes come from.
namespace strata {
namespace {

using kernels::ConvShape;
using kernels::Index;

struct PackedTensor {
  Tensor tensor;
  bool has_zeros = false;
};

/// What is packed behind the weights; returns whether zero points are left.
bool pack_corrections(const ByteWeights& weights, const kernels::Int8Kernels& kernels,
                      std::int32_t* sums) {
  const Tensor& bytes = weights.bytes;
  const Index channels = bytes.shape()[0], depth = bytes.size() / channels;
  const std::uint32_t moved = bytes.dtype() == DatumType::u8 ? 128 : 0;
  kernels.row_sums(bytes.bytes().data(), channels, depth, byte_kind(bytes.dtype()), sums);
  bool has_zeros = false;
  for (Index i = 0; i < channels; ++i) {
    const std::uint32_t zero = static_cast<std::uint32_t>(weights.zero_at(i)) - moved;  // as stored
    sums[i] =
        wrapping(static_cast<std::uint32_t>(depth) * zero - static_cast<std::uint32_t>(sums[i]));
    sums[channels + i] = wrapping(-zero);
    has_zeros = has_zeros || zero != 0;
  }
  return has_zeros;
}

/// The weights of each group, `group_words` apart, with room for `corrections` words.
MutableTensor pack_groups(const ByteWeights& weights, const ConvShape& shape,
                          const kernels::Int8ConvMethod& method, Index corrections) {
  const Index group_words = method.weights_size(shape),
              group_bytes = weights.bytes.size() / shape.groups;
  MutableTensor out =
      MutableTensor::zeros(DatumType::i32, {shape.groups * group_words + corrections});
  std::int32_t* words = out.as<std::int32_t>().data();
  for (Index g = 0; g < shape.groups; ++g)
    method.pack_weights(shape, weights.bytes.bytes().data() + g * group_bytes,
                        byte_kind(weights.bytes.dtype()), words + g * group_words);
  return out;
}

/// The same groups, each with what its weights need behind them.
MutableTensor with_more(MutableTensor packed, const ConvShape& shape,
                        const kernels::Int8ConvMethod& method, Index corrections) {
  const Index size = method.weights_size(shape);
  const std::int32_t* from = packed.as<std::int32_t>().data();
  Index more = 0;
  for (Index g = 0; g < shape.groups; ++g)
    more = std::max(more, method.more_weights(shape, from + g * size));
  MutableTensor out =
      MutableTensor::zeros(DatumType::i32, {shape.groups * (size + more) + corrections});
  std::int32_t* to = out.as<std::int32_t>().data();
  for (Index g = 0; g < shape.groups; ++g, from += size, to += size + more) {
    std::copy(from, from + size, to);
    method.pack_more(shape, to);
  }
  return out;
}

PackedTensor packed(const ByteWeights& weights, const ConvShape& shape, Isa isa) {
  const kernels::Int8Kernels& kernels = kernels::int8_kernels(isa);
  const kernels::Int8ConvMethod& method = kernels.conv_method(shape);
  const Index corrections = 2 * weights.bytes.shape()[0];
  MutableTensor out = pack_groups(weights, shape, method, corrections);
  if (method.more_weights) out = with_more(std::move(out), shape, method, corrections);
  std::int32_t* end = out.as<std::int32_t>().data() + out.size();
  const bool has_zeros = pack_corrections(weights, kernels, end - corrections);
  return PackedTensor{std::move(out).freeze(), has_zeros};
}

}  // namespace

std::optional<IntegerConvCall> integer_conv(Patch& patch, const Conv& op, const CentredBytes& x,
                                            const ByteWeights& w, Isa isa) {
  const bool has_zero = !x.zero.is_absent();
  const Tensor& weights = w.bytes;
  if (weights.size() == 0 || weights.rank() < 3 || weights.rank() > 2 + kMaxSpatialAxes ||
      patch.fact_of(x.bytes).shape.is_open() ||
      (has_zero && patch.fact_of(x.zero).shape.volume() != Dim(1)))
    return std::nullopt;
  const Shape nothing(weights.rank(), 1);
  const PackedTensor own = packed(w, plain_conv_shape(op, weights.shape(), nothing, nothing), isa);
  IntegerConvCall call{{op.strides, op.dilations, op.padding, op.group, weights.shape()},
                       {x.bytes, patch.constant("packed", own.tensor)}};
  call.kernel.zero_weights = own.has_zeros;
  call.kernel.zero_x = has_zero;
  call.kernel.isa = isa;
  if (has_zero) call.inputs.push_back(x.zero);
  return call;
}

/// Conv of i32(x) - zx and constant weights that are bytes less zero points, one a channel
///   ->  IntegerConvKernel(x, packed weights, zx)
Rewrite lower_integer_conv(const NodeView& node, const Target& target) {
  const Conv* conv = node.op().as<Conv>();
  if (!conv || node.output_fact().dtype != DatumType::i32) return no_change;
  const auto x = centred_bytes(node.model, node.input(0));
  const auto weights = x ? byte_weights(node.model, node.input(1), 0) : std::nullopt;
  if (!weights) return no_change;
  if (!x->zero.is_absent() && !holds_bytes(node.model, x->zero, node.model.fact(x->bytes).dtype))
    return no_change;
  Patch patch(node);
  auto call = integer_conv(patch, *conv, *x, *weights, target.isa);
  if (!call) return no_change;
  call->kernel.biased = node.inputs().size() > 2;
  if (call->kernel.biased) call->inputs.push_back(node.input(2));
  patch.shunt(node.output(), patch.wire_one("", call->kernel, call->inputs));
  return patch;
}

}  // namespace strata
