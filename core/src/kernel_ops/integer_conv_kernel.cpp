#include "kernel_ops/integer_conv_kernel.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ByteConvWay;
using kernels::ConvShape;
using kernels::Index;
using kernels::Int8ConvMethod;
using kernels::Range;

/// If every output reads one input, in the same order, all axes are joined to one.
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
  return joined(plain_conv_shape(op.op(), op.weights, x, y));
}

/// Scratch memory: what is added to each channel, where the image's words lie, and images.
struct ScratchSizes {
  Index channels, offsets, image;  ///< in words
  Index before_images() const { return aligned_words(channels) + aligned_words(offsets); }
  std::size_t image_bytes() const { return static_cast<std::size_t>(image) * sizeof(std::int32_t); }
};

ScratchSizes scratch_sizes(const Int8ConvMethod& method, const ConvShape& shape) {
  constexpr Index kWords = sizeof(Index) / sizeof(std::int32_t);
  return {shape.groups * shape.out_channels, method.image_steps(shape) * kWords,
          method.image_size(shape)};
}

/// What is packed behind the weights of all groups: for each channel k zw - sum of w, and -zw.
struct PackedWeights {
  const std::int32_t* words;
  Index group_words;
  const std::int32_t* sums;
  const std::int32_t* zeros;
};

PackedWeights packed_weights(const ConvShape& shape, const TensorView& packed) {
  const auto* words = packed.as<std::int32_t>();
  const Index channels = shape.groups * shape.out_channels;
  const Index group_words = (volume(packed.shape) - 2 * channels) / shape.groups;
  const std::int32_t* sums = words + shape.groups * group_words;
  return {words, group_words, sums, sums + channels};
}

/// A kernel's call.
struct Call {
  const IntegerConvKernel& op;
  const KernelIo& io;
  ConvShape shape;
  const Int8ConvMethod& method;
  ScratchSizes sizes;
  PackedWeights weights;
  Index* offsets;
  kernels::SumFinish finish;

  Call(const IntegerConvKernel& kernel, const KernelIo& given)
      : op(kernel),
        io(given),
        shape(shape_of(op, io.inputs[0].shape, io.outputs[0].shape)),
        method(kernels::int8_kernels(op.isa).conv_method(shape)),
        sizes(scratch_sizes(method, shape)),
        weights(packed_weights(shape, io.inputs[1])) {
    const Span out = io.outputs[0].shape;
    finish = finish_of(op.conversion, io.inputs.subspan(op.own_inputs()), out, {1, out.size()});
    ScratchWords scratch(io.scratch);
    finish.row_add = channel_terms(scratch.take(sizes.channels));
    offsets = reinterpret_cast<Index*>(scratch.take(sizes.offsets));
    method.image_offsets(shape, offsets);
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

  ConvShape some_groups(Index count) const {
    ConvShape some = shape;
    some.groups = count;
    return some;
  }
  /// The image of `groups` groups, from `number` on, counting the groups of all images.
  kernels::Int8Image image(Index number, Range parts, Index groups = 1) const {
    const Index size = shape.in_channels * volume(Span(shape.window.in));
    return {some_groups(groups), io.inputs[0].data + number * size, byte_kind(io.inputs[0].dtype),
            static_cast<std::uint8_t>(stored_zero()), parts.begin};
  }

  /// The convolution of what is prepared for these parts at `prepared`.
  kernels::Int8Conv conv(Index number, Range parts, const std::int32_t* prepared,
                         Index groups = 1) const {
    const Index channels = shape.out_channels, group = number % shape.groups;
    const Index size = channels * volume(Span(shape.window.out));
    const Index width = output_bytes(op.conversion);
    kernels::Int8Conv out{some_groups(groups),
                          weights.words + group * weights.group_words,
                          prepared,
                          offsets,
                          op.zero_weights ? weights.zeros + group * channels : nullptr,
                          finish,
                          io.outputs[0].data + number * size * width,
                          parts.begin};
    const auto from_group = [&](auto& values) {
      values.data += group * channels * values.row_step;
    };
    out.finish.row_add += group * channels;
    from_group(out.finish.scale);
    from_group(out.finish.bias);
    from_group(out.finish.divisor);
    from_group(out.finish.factor);
    from_group(out.finish.offset);
    return out;
  }
  WorkSize work() const {
    constexpr double kFaster = 4;      // than products of floats
    constexpr double kForOutput = 20;  // to finish its sum
    const WorkSize floats = work_of(shape);
    const auto outputs = static_cast<double>(volume(io.outputs[0].shape));
    return {floats.flops / kFaster + kForOutput * outputs, floats.bytes / 2};
  }
  /// The parts, from this one on, for which an image is prepared at once.
  Range parts_from(Index part) const {
    return {part, std::min(part + method.parts_at_once(shape), method.parts(shape))};
  }
};

/// Whether threads share the panels of channels, and not the parts of an image.
bool shares_channels(Index panels, Index parts) {
  constexpr Index kManyPanels = 16;  // one more or less of them matters little
  return panels > parts && (panels % 2 == 0 || panels >= kManyPanels || parts == 1);
}

/// Small images, each shared among threads: its parts, or all of it and panels of channels. A thread
/// prepares what it reads, in memory of its own: it would wait for words from the cache of another
/// core about as long as it multiplies them. Where outputs have more channels than inputs, panels
/// are better: an op that takes channels by themselves, as often follows, finds its own near.
void run_apart(const Call& call, std::byte* scratch) {
  const Int8ConvMethod& method = call.method;
  const ConvShape& shape = call.shape;
  const Index channels = shape.out_channels, step = method.channel_step(shape);
  const Index panels = (channels + step - 1) / step;
  const Range planes{0, method.image_planes(shape)}, parts{0, method.parts(shape)};
  const auto most = static_cast<Index>(parts_of(call.io, call.work(), std::max(panels, parts.end)));
  const bool by_channels =
      channels > shape.in_channels ? panels >= most : panels > parts.end && most > parts.end;
  const auto shares = static_cast<std::size_t>(std::min(most, by_channels ? panels : parts.end));
  KernelIo io = call.io;
  io.scratch = scratch;
  for (Index i = 0; i < shape.batch; ++i)
    share(io, shares, call.sizes.image_bytes(), [&](std::size_t share, std::byte* memory) {
      auto* prepared = reinterpret_cast<std::int32_t*>(memory);
      const Range some = by_channels ? parts : part_of(parts.end, 1, share, shares);
      method.prepare_image(call.image(i, parts), planes, some, prepared);
      method.convolve(call.conv(i, parts, prepared),
                      by_channels ? part_of(channels, step, share, shares) : Range{0, channels},
                      some);
    });
}

/// One image after the other, each shared among threads.
void run_images(const Call& call, std::byte* scratch) {
  auto* prepared = reinterpret_cast<std::int32_t*>(scratch);
  const KernelIo& io = call.io;
  const Int8ConvMethod& method = call.method;
  const ConvShape& shape = call.shape;
  const Index planes = method.image_planes(shape);
  const Index channels = shape.out_channels, step = method.channel_step(shape);
  const WorkSize preparing{0, 8 * static_cast<double>(call.sizes.image)};
  for (Index i = 0; i < shape.batch; ++i)
    for (Range parts = call.parts_from(0); parts.begin < parts.end;
         parts = call.parts_from(parts.end)) {
      const kernels::Int8Image image = call.image(i, parts);
      share_range(io, preparing, planes, 1,
                  [&](Range range) { method.prepare_image(image, range, parts, prepared); });
      const kernels::Int8Conv conv = call.conv(i, parts, prepared);
      const Index count = parts.end - parts.begin;
      if (shares_channels((channels + step - 1) / step, count))
        share_range(io, call.work(), channels, step,
                    [&](Range range) { method.convolve(conv, range, parts); });
      else
        share_range(io, call.work(), count, 1, [&](Range range) {
          method.convolve(conv, {0, channels},
                          {parts.begin + range.begin, parts.begin + range.end});
        });
    }
}

/// Groups side by side, each with an image of its own; small ones some at once.
void run_groups(const Call& call, std::byte* scratch) {
  const Int8ConvMethod& method = call.method;
  const ConvShape& shape = call.shape;
  const Index count = shape.batch * shape.groups, planes = method.image_planes(shape);
  const Index conv_parts = method.parts(shape), at_once = method.parts_at_once(shape);
  const Index groups_at_once = method.groups_at_once(shape);
  const std::size_t parts = parts_of(call.io, call.work(), count);
  KernelIo own = call.io;
  own.scratch = scratch;
  share(own, parts, call.sizes.image_bytes(), [&](std::size_t part, std::byte* memory) {
    auto* prepared = reinterpret_cast<std::int32_t*>(memory);
    const Range range = part_of(count, 1, part, parts);
    for (Index i = range.begin, groups; i < range.end; i += groups) {
      groups = std::min({groups_at_once, range.end - i, shape.groups - i % shape.groups});
      for (Index begin = 0; begin < conv_parts; begin += at_once) {
        const Range some{begin, std::min(begin + at_once, conv_parts)};
        method.prepare_image(call.image(i, some, groups), {0, planes}, some, prepared);
        method.convolve(call.conv(i, some, prepared, groups), {0, shape.out_channels}, some);
      }
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

std::string IntegerConvKernel::explain(Facts in, Facts out) const {
  const Shape nothing(weights.size(), 1);
  const auto x = in[0].shape.concrete(), y = out[0].shape.concrete();
  const ConvShape shape =
      x && y ? shape_of(*this, *x, *y) : plain_conv_shape(op(), weights, nothing, nothing);
  const Int8ConvMethod& method = kernels::int8_kernels(isa).conv_method(shape);
  const bool is_across = method.lies_across_channels && method.lies_across_channels(shape);
  switch (method.way) {
    case ByteConvWay::planes:
      return explain_vectors(
          "depthwise convolution of bytes", isa,
          is_across ? "rows are short, so vectors of sums lie across channels"
                    : "vectors of sums lie along rows, of which a word holds neighbours");
    case ByteConvWay::winograd:
      return explain_integer_conv("convolution of bytes by Winograd", shape, isa);
    case ByteConvWay::product:
      break;
  }
  return explain_integer_conv("product of bytes", shape, isa);
}

std::size_t IntegerConvKernel::scratch_bytes(Facts in) const {
  const Shape x = *in[0].shape.concrete(), out = *output_facts(in)[0].shape.concrete();
  const ConvShape shape = shape_of(*this, x, out);
  const ScratchSizes sizes = scratch_sizes(kernels::int8_kernels(isa).conv_method(shape), shape);
  return static_cast<std::size_t>(sizes.before_images()) * sizeof(std::int32_t) +
         sizes.image_bytes();
}

void IntegerConvKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const Call call(*this, io);
  std::byte* images =
      io.scratch + call.sizes.before_images() * static_cast<Index>(sizeof(std::int32_t));
  const auto are_parts_apart = call.method.are_parts_apart;
  if (are_parts_apart && are_parts_apart(call.shape) && group == 1)
    run_apart(call, images);
  else if (group == 1)
    run_images(call, images);
  else
    run_groups(call, images);
}

}  // namespace strata
