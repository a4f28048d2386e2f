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

/// Words of scratch memory: what is added to each channel, where an image's words lie, an image.
struct ScratchSizes {
  Index channels, offsets, image;
  Index all() const { return aligned_words(channels) + aligned_words(offsets) + image; }
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

/// Some parts of some channels of some groups, which are counted over all images.
struct Piece {
  Range groups;
  Range channels;
  Range parts;
  /// The range that a piece is cut along.
  using Axis = Range Piece::*;
};

/// A kernel's call.
struct Call {
  const IntegerConvKernel& op;
  KernelIo io;  ///< with the scratch memory of an image
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
    io.scratch = scratch.rest();
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

  ConvShape shape_of_groups(Range groups) const {
    ConvShape some = shape;
    some.groups = groups.end - groups.begin;
    return some;
  }
  /// Prepares some planes of what a piece reads.
  void prepare(const Piece& piece, Range planes, std::int32_t* prepared) const {
    const TensorView& x = io.inputs[0];
    const Index size = shape.in_channels * volume(Span(shape.window.in));
    method.prepare_image({shape_of_groups(piece.groups), x.data + piece.groups.begin * size,
                          byte_kind(x.dtype), static_cast<std::uint8_t>(stored_zero())},
                         planes, piece.parts, prepared);
  }
  /// Computes a piece from what is prepared for it, or for more parts than its own.
  void convolve(const Piece& piece, const std::int32_t* prepared) const {
    const Index channels = shape.out_channels, group = piece.groups.begin % shape.groups;
    const Index size = channels * volume(Span(shape.window.out));
    const Index width = output_bytes(op.conversion);
    kernels::Int8Conv conv{shape_of_groups(piece.groups),
                           weights.words + group * weights.group_words,
                           prepared,
                           offsets,
                           op.zero_weights ? weights.zeros + group * channels : nullptr,
                           finish,
                           io.outputs[0].data + piece.groups.begin * size * width};
    const auto from_group = [&](auto& values) {
      values.data += group * channels * values.row_step;
    };
    conv.finish.row_add += group * channels;
    from_group(conv.finish.scale);
    from_group(conv.finish.bias);
    from_group(conv.finish.divisor);
    from_group(conv.finish.factor);
    from_group(conv.finish.offset);
    method.convolve(conv, piece.channels, piece.parts);
  }

  WorkSize work() const {
    constexpr double kFaster = 4;      // than products of floats
    constexpr double kForOutput = 20;  // to finish its sum
    const WorkSize floats = work_of(shape);
    const auto outputs = static_cast<double>(volume(io.outputs[0].shape));
    return {floats.flops / kFaster + kForOutput * outputs, floats.bytes / 2};
  }
  Range planes() const { return {0, method.image_planes(shape)}; }
  Index parts() const { return method.parts(shape); }
  /// Panels of channels.
  Index panels() const {
    const Index step = method.channel_step(shape);
    return (shape.out_channels + step - 1) / step;
  }
  Piece all() const {
    return {{0, shape.batch * shape.groups}, {0, shape.out_channels}, {0, parts()}};
  }
};

/// Calls `run` with each piece of this one that is computed from one prepared image.
template <class Run>
void for_each_image(const Call& call, const Piece& piece, const Run& run) {
  const Index groups = call.method.groups_at_once(call.shape);
  const Index parts = call.method.parts_at_once(call.shape);
  Piece some = piece;
  for (Index group = piece.groups.begin; group < piece.groups.end; group = some.groups.end) {
    const Index others = call.shape.groups - group % call.shape.groups;  // of the same image
    some.groups = {group, std::min({group + groups, group + others, piece.groups.end})};
    for (Index part = piece.parts.begin; part < piece.parts.end; part = some.parts.end) {
      some.parts = {part, std::min(part + parts, piece.parts.end)};
      run(some);
    }
  }
}

/// Channels or parts are cut at multiples of this.
Index cut_step(const Call& call, Piece::Axis axis) {
  return axis == &Piece::channels ? call.method.channel_step(call.shape) : 1;
}

/// Shares a piece among threads: run(share, memory). Its size along the axis need not be given.
template <class Run>
void share_piece(const Call& call, const Piece& piece, Piece::Axis axis, Cuts cuts,
                 const Run& run) {
  const Range all = piece.*axis;
  cuts.n = all.end - all.begin;
  share_range(call.io, call.work(), cuts, [&](Range cut, std::byte* memory) {
    Piece some = piece;
    some.*axis = {all.begin + cut.begin, all.begin + cut.end};
    run(some, reinterpret_cast<std::int32_t*>(memory));
  });
}

/// Each thread prepares what its share reads, in memory of its own.
void run_apart(const Call& call, Piece::Axis axis, Index step) {
  const auto bytes = static_cast<std::size_t>(call.sizes.image) * sizeof(std::int32_t);
  share_piece(call, call.all(), axis, {.step = step, .scratch_bytes = bytes},
              [&](const Piece& share, std::int32_t* prepared) {
                for_each_image(call, share, [&](const Piece& some) {
                  call.prepare(some, call.planes(), prepared);
                  call.convolve(some, prepared);
                });
              });
}

/// The threads prepare one image after the other together, and share what is computed from it.
void run_together(const Call& call) {
  constexpr Index kManyPanels = 16;  // one more or less of them matters little
  auto* prepared = reinterpret_cast<std::int32_t*>(call.io.scratch);
  constexpr double kPlane = 10000;  // steps of vectors, in the time to begin a plane
  const WorkSize preparing{kPlane * static_cast<double>(call.planes().end),
                           8 * static_cast<double>(call.sizes.image)};
  const Index panels = call.panels();
  for_each_image(call, call.all(), [&](const Piece& image) {
    share_range(call.io, preparing, call.planes().end, 1,
                [&](Range planes) { call.prepare(image, planes, prepared); });
    const Index parts = image.parts.end - image.parts.begin;
    const bool by_channels =
        panels > parts && (panels % 2 == 0 || panels >= kManyPanels || parts == 1);
    const Piece::Axis axis = by_channels ? &Piece::channels : &Piece::parts;
    share_piece(call, image, axis, {.step = cut_step(call, axis)},
                [&](const Piece& some, std::int32_t*) { call.convolve(some, prepared); });
  });
}

/// The most of n things that a thread gets.
Index rounds_of(Index n, Index threads) { return (n + threads - 1) / threads; }
/// How busy so many threads are with n things, at most 1.
double busy_share(Index n, Index threads) {
  return static_cast<double>(n) / static_cast<double>(rounds_of(n, threads) * threads);
}

/// Threads compute one share each of an image. Parts are better than channels unless they leave
/// threads idle: most of what a thread reads, it has then computed itself in the layer before, and
/// nothing takes longer than to read what another core has just written.
void run_image(const Call& call) {
  constexpr double kMatters = 8.0 / 7;  // by so much may channels keep threads busier
  const Index threads = may_share(call.io, call.work())
                            ? static_cast<Index>(call.io.workers->usable(call.io.gain))
                            : 1;
  const bool by_parts = call.parts() > 1 && busy_share(call.parts(), threads) * kMatters >=
                                                busy_share(call.panels(), threads);
  if (!by_parts && volume(Span(call.shape.window.kernel)) > 1) return run_together(call);
  const Piece::Axis axis = by_parts ? &Piece::parts : &Piece::channels;
  const Index step = cut_step(call, axis);
  run_apart(call, axis, step * rounds_of(by_parts ? call.parts() : call.panels(), threads));
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
  return static_cast<std::size_t>(sizes.all()) * sizeof(std::int32_t);
}

void IntegerConvKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const Call call(*this, io);
  if (group != 1) return run_apart(call, &Piece::groups, 1);
  call.method.prepares_parts ? run_image(call) : run_together(call);
}

}  // namespace strata
