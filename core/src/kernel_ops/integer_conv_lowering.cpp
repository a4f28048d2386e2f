#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/integer_conv_kernel.h"

/// Where convolutions of bytes come from.
namespace strata {
namespace {

using kernels::ConvShape;
using kernels::Index;

struct PackedTensor {
  Tensor words;
  bool has_zeros = false;
};

/// What is packed behind the weights, for channels of bytes one after the other.
bool pack_corrections(const StoredRows& rows, std::int32_t* sums) {
  const std::size_t channels = rows.zeros.size(), depth = rows.bytes.size() / channels;
  bool has_zeros = false;
  for (std::size_t i = 0; i < channels; ++i) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < depth; ++j) sum += rows.bytes[i * depth + j];
    const std::int64_t zero = rows.zeros[i];
    sums[i] = wrapping(static_cast<std::uint32_t>(static_cast<std::int64_t>(depth) * zero - sum));
    sums[channels + i] = wrapping(static_cast<std::uint32_t>(-zero));
    has_zeros = has_zeros || zero != 0;
  }
  return has_zeros;
}

/// Constant i32 weights packed as bytes.
std::optional<PackedTensor> packed(const Tensor& weights, const ConvShape& shape,
                                   const kernels::Int8Kernels& kernels) {
  const Index channels = weights.shape()[0], depth = weights.size() / channels;
  const auto rows =
      stored_rows({weights.as<std::int32_t>(), channels, depth, depth, 1}, kSignedBytes);
  if (!rows) return std::nullopt;
  const Index group_words = kernels.weights_size(shape), size = shape.groups * group_words;
  MutableTensor out = MutableTensor::zeros(DatumType::i32, {size + 2 * channels});
  std::int32_t* words = out.as<std::int32_t>().data();
  const std::vector<std::int8_t> bytes(rows->bytes.begin(), rows->bytes.end());
  for (Index g = 0; g < shape.groups; ++g)
    kernels.pack_weights(shape, bytes.data() + g * shape.out_channels * depth,
                         words + g * group_words);
  const bool has_zeros = pack_corrections(*rows, words + size);
  return PackedTensor{std::move(out).freeze(), has_zeros};
}

}  // namespace

std::optional<IntegerConvCall> integer_conv(Patch& patch, const Conv& op, const CentredBytes& x,
                                            const Tensor& weights, Isa isa) {
  const bool has_zero = !x.zero.is_absent();
  if (weights.size() == 0 || weights.rank() < 3 || weights.rank() > 2 + kMaxSpatialAxes ||
      patch.fact_of(x.bytes).shape.is_open() ||
      (has_zero && patch.fact_of(x.zero).shape.volume() != Dim(1)))
    return std::nullopt;
  const Shape nothing(weights.rank(), 1);
  const auto words = packed(weights, conv_shape(op, weights.shape(), nothing, nothing),
                            kernels::int8_kernels(isa));
  if (!words) return std::nullopt;
  IntegerConvCall call{{op.strides, op.dilations, op.padding, op.group, weights.shape()},
                       {x.bytes, patch.constant("packed", words->words)}};
  call.kernel.zero_weights = words->has_zeros;
  call.kernel.zero_x = has_zero;
  call.kernel.isa = isa;
  if (has_zero) call.inputs.push_back(x.zero);
  return call;
}

/// Conv of i32(x) - zx and constant weights less than 256 apart in each channel
///   ->  IntegerConvKernel(x, packed weights, zx)
Rewrite lower_integer_conv(const NodeView& node, const Target& target) {
  const Conv* conv = node.op().as<Conv>();
  if (!conv || node.output_fact().dtype != DatumType::i32) return no_change;
  const auto x = centred_bytes(node.model, node.input(0));
  const Tensor* weights = node.input_fact(1).constant();
  if (!x || !weights) return no_change;
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
