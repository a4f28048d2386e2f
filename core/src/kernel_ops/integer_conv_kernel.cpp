#include "kernel_ops/integer_conv_kernel.h"

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ConvShape;
using kernels::Index;
using kernels::Range;

/// Where every output reads one input and they lie in the same order, the axes are one.
ConvShape joined(ConvShape shape) {
  kernels::Window& w = shape.window;
  for (std::size_t i = 0; i < kMaxSpatialAxes; ++i)
    if (w.kernel[i] != 1 || w.stride[i] != 1 || w.pad[i] != 0 || w.in[i] != w.out[i]) return shape;
  const Index size = w.in[0] * w.in[1] * w.in[2];
  for (std::size_t i = 0; i < kMaxSpatialAxes; ++i) w.in[i] = w.out[i] = 1;
  w.in[2] = w.out[2] = size;
  return shape;
}

ConvShape shape_of(const IntegerConvKernel& op, Span x, Span y) {
  return joined(conv_shape(op.op(), op.weights, x, y));
}

/// Scratch memory: what is added to each channel, where the image's words lie, and images.
struct ScratchSizes {
  Index channels, offsets, image;  ///< in words
  Index before_images() const { return aligned_words(channels) + aligned_words(offsets); }
  std::size_t image_bytes() const { return static_cast<std::size_t>(image) * sizeof(std::int32_t); }
};

ScratchSizes scratch_sizes(const kernels::Int8Kernels& kernels, const ConvShape& shape) {
  constexpr Index kWords = sizeof(Index) / sizeof(std::int32_t);
  return {shape.groups * shape.out_channels, kernels.image_steps(shape) * kWords,
          kernels.image_size(shape)};
}

/// What is packed behind the weights of all groups: for each channel k zw - sum of w, and -zw.
struct PackedWeights {
  const std::int32_t* words;
  Index group_words;
  const std::int32_t* sums;
  const std::int32_t* zeros;
};

PackedWeights packed_weights(const kernels::Int8Kernels& kernels, const ConvShape& shape,
                             const std::int32_t* words) {
  const Index group_words = kernels.weights_size(shape);
  const std::int32_t* sums = words + shape.groups * group_words;
  return {words, group_words, sums, sums + shape.groups * shape.out_channels};
}

/// A kernel's call.
struct Call {
  const IntegerConvKernel& op;
  const KernelIo& io;
  const kernels::Int8Kernels& kernels;
  ConvShape shape;
  ScratchSizes sizes;
  PackedWeights weights;
  Index* offsets;
  kernels::SumFinish finish;

  Call(const IntegerConvKernel& kernel, const KernelIo& given)
      : op(kernel),
        io(given),
        kernels(kernels::int8_kernels(op.isa)),
        shape(shape_of(op, io.inputs[0].shape, io.outputs[0].shape)),
        sizes(scratch_sizes(kernels, shape)),
        weights(packed_weights(kernels, shape, io.inputs[1].as<std::int32_t>())) {
    const Span out = io.outputs[0].shape;
    finish = finish_of(op.conversion, io.inputs.subspan(op.own_inputs()), out, {1, out.size()});
    ScratchWords scratch(io.scratch);
    finish.row_add = channel_terms(scratch.take(sizes.channels));
    offsets = reinterpret_cast<Index*>(scratch.take(sizes.offsets));
    kernels.image_offsets(shape, offsets);
  }

  /// The zero point of x as it is stored.
  std::int32_t stored_zero() const {
    const std::int32_t zero = op.zero_x ? io.inputs[2].as<std::int32_t>()[0] : 0;
    return zero + (io.inputs[0].dtype == DatumType::i8 ? 128 : 0);
  }
  /// What is added to the sums of each channel.
  const std::int32_t* channel_terms(std::int32_t* out) const {
    const auto zero = static_cast<std::uint32_t>(stored_zero());
    const std::int32_t* bias =
        op.biased ? io.inputs[op.own_inputs() - 1].as<std::int32_t>() : nullptr;
    for (Index i = 0; i < sizes.channels; ++i)
      out[i] = wrapping(zero * static_cast<std::uint32_t>(weights.sums[i]) +
                        (bias ? static_cast<std::uint32_t>(bias[i]) : 0));
    return out;
  }

  kernels::Int8Image image(Index number) const {
    const Index size = shape.in_channels * volume(Span(shape.window.in));
    return {shape, io.inputs[0].data + number * size, byte_kind(io.inputs[0].dtype),
            static_cast<std::uint8_t>(stored_zero())};
  }

  /// The convolution of image and group `number`, whose prepared image lies at `prepared`.
  kernels::Int8Conv conv(Index number, const std::int32_t* prepared) const {
    const Index channels = shape.out_channels, group = number % shape.groups;
    const Index size = channels * volume(Span(shape.window.out));
    const Index width = output_bytes(op.conversion);
    kernels::Int8Conv out{shape,
                          weights.words + group * weights.group_words,
                          prepared,
                          offsets,
                          op.zero_weights ? weights.zeros + group * channels : nullptr,
                          finish,
                          io.outputs[0].data + number * size * width};
    const auto from_group = [&](auto& values) {
      values.data += group * channels * values.row_step;
    };
    out.finish.row_add += group * channels;
    from_group(out.finish.scale);
    from_group(out.finish.bias);
    from_group(out.finish.factor);
    from_group(out.finish.offset);
    return out;
  }
  WorkSize work() const {
    constexpr double kFaster = 4;  // than products of floats
    const WorkSize floats = work_of(shape);
    return {floats.flops / kFaster, floats.bytes / 2};
  }
};

/// One image after the other, each shared among threads.
void run_images(const Call& call, std::byte* scratch) {
  auto* prepared = reinterpret_cast<std::int32_t*>(scratch);
  const KernelIo& io = call.io;
  const kernels::Int8Kernels& kernels = call.kernels;
  const ConvShape& shape = call.shape;
  const Index planes = kernels.image_planes(shape), parts = kernels.conv_parts(shape);
  const Index channels = shape.out_channels, step = kernels.row_step(channels);
  for (Index i = 0; i < shape.batch; ++i) {
    const WorkSize preparing{0, 8 * static_cast<double>(call.sizes.image)};
    share_range(io, preparing, planes, 1,
                [&](Range range) { kernels.prepare_image(call.image(i), range, prepared); });
    const kernels::Int8Conv conv = call.conv(i, prepared);
    if (channels / step > parts)
      share_range(io, call.work(), channels, step, [&](Range range) {
        kernels.convolve(conv, range, {0, parts});
      });
    else
      share_range(io, call.work(), parts, 1, [&](Range range) {
        kernels.convolve(conv, {0, channels}, range);
      });
  }
}

/// Groups side by side, each with an image of its own.
void run_groups(const Call& call, std::byte* scratch) {
  const kernels::Int8Kernels& kernels = call.kernels;
  const ConvShape& shape = call.shape;
  const Index count = shape.batch * shape.groups;
  const std::size_t parts = parts_of(call.io, call.work(), count);
  KernelIo own = call.io;
  own.scratch = scratch;
  share(own, parts, call.sizes.image_bytes(), [&](std::size_t part, std::byte* memory) {
    auto* prepared = reinterpret_cast<std::int32_t*>(memory);
    const Range range = part_of(count, 1, part, parts);
    for (Index i = range.begin; i < range.end; ++i) {
      kernels.prepare_image(call.image(i), {0, kernels.image_planes(shape)}, prepared);
      kernels.convolve(call.conv(i, prepared), {0, shape.out_channels},
                       {0, kernels.conv_parts(shape)});
    }
  });
}

/// The facts of the portable op's operands.
FactList portable(const IntegerConvKernel& op, Facts in) {
  return {Fact::tensor(DatumType::i32, in[0].shape), Fact::tensor(DatumType::i32, op.weights)};
}

}  // namespace

FactList IntegerConvKernel::output_facts(Facts in) const {
  check_arity(name, in, own_inputs(), own_inputs() + 3);
  const FactList wide = portable(*this, in);
  const Fact* operands[] = {&wide[0], &wide[1]};
  return {Fact::tensor(conversion.to, op().output_facts(Facts(operands))[0].shape)};
}

Cost IntegerConvKernel::cost(Facts in, Facts out) const {
  const FactList wide = portable(*this, in);
  const Fact* operands[] = {&wide[0], &wide[1]};
  Cost cost = memory_cost(in, out);
  cost.flops = op().cost(Facts(operands), out).flops;
  return cost;
}

std::string IntegerConvKernel::explain(Facts, Facts) const {
  return explain_integer_product(weights[0] / group, isa);
}

std::size_t IntegerConvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), out = *output_facts(in)[0].shape.concrete();
  const ScratchSizes sizes = scratch_sizes(kernels::int8_kernels(isa), shape_of(*this, x, out));
  return static_cast<std::size_t>(sizes.before_images()) * sizeof(std::int32_t) +
         sizes.image_bytes();
}

void IntegerConvKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const Call call(*this, io);
  std::byte* images =
      io.scratch + call.sizes.before_images() * static_cast<Index>(sizeof(std::int32_t));
  if (group == 1)
    run_images(call, images);
  else
    run_groups(call, images);
}

namespace {

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
