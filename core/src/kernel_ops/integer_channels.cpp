#include "kernel_ops/integer_channels.h"

#include <algorithm>

#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ConvShape;
using kernels::Index;
using kernels::Range;

/// How the groups of all images are computed: some of an image at once.
struct Work {
  static constexpr Index kNearFloats = 65536;

  ConvShape shape;  ///< of the whole convolution
  Index in, out;    ///< floats of a group
  Index at_once;    ///< groups
  Index image_parts;

  Work(const IntegerConvKernel& op, Span x, Span y)
      : shape(conv_shape(op.op(), op.weights, x, y)),
        in(volume(Span(shape.window.in))),
        out(shape.out_channels * volume(Span(shape.window.out))) {
    at_once = std::clamp<Index>(kNearFloats / std::max<Index>(in + out, 1), 1, shape.groups);
    image_parts = (shape.groups + at_once - 1) / at_once;
  }
  Index parts() const { return shape.batch * image_parts; }
  ConvShape some_groups(Index count) const {
    ConvShape some = shape;
    some.batch = 1;
    some.groups = count;
    return some;
  }
  // Scratch memory: the image as floats, sums, and what their kernel needs. Never less for more floats,
  // of which there may be fewer groups at once.
  std::size_t sums_begin() const { return floats_bytes(most_floats(in)); }
  std::size_t rest_begin() const {
    return sums_begin() + floats_bytes(most_floats(out) + kernels::kSumsSlack);
  }
  std::size_t scratch_bytes(const kernels::KernelTable& kernels) const {
    return rest_begin() + kernels.conv_scratch(some_groups(at_once));
  }

 private:
  /// As many as the groups at once have, where a group has n, or more.
  Index most_floats(Index n) const { return std::max(n, std::min(shape.groups * n, kNearFloats)); }
  static std::size_t floats_bytes(Index n) {
    return static_cast<std::size_t>(aligned_words(n)) * sizeof(float);
  }
};

/// A kernel's call.
struct Call {
  const IntegerConvKernel& op;
  const KernelIo& io;
  const kernels::KernelTable& floats = kernels::kernels(op.isa);
  const kernels::Int8Kernels& bytes = kernels::int8_kernels(op.isa);
  Work work{op, io.inputs[0].shape, io.outputs[0].shape};
  kernels::SumFinish finish = finish_of(op.conversion, io.inputs.subspan(op.own_inputs()),
                                        io.outputs[0].shape, {1, io.outputs[0].shape.size()});

  Call(const IntegerConvKernel& kernel, const KernelIo& given) : op(kernel), io(given) {
    if (op.biased) finish.row_add = io.inputs[op.own_inputs() - 1].as<std::int32_t>();
  }

  /// The inputs of groups, from this one of all images on, less their zero point.
  void widen(Index group, Index count, float* out) const {
    const TensorView& x = io.inputs[0];
    const float scale = 1;
    const auto zero = static_cast<std::uint8_t>(op.zero_x ? io.inputs[2].as<std::int32_t>()[0] : 0);
    const auto type =
        x.dtype == DatumType::u8 ? kernels::IntegerType::u8 : kernels::IntegerType::i8;
    floats.dequantize({type, count * work.in, &scale, &zero}, x.data + group * work.in, out);
  }

  void compute(Index part, std::byte* scratch) const {
    auto* image = reinterpret_cast<float*>(scratch);
    auto* sums = reinterpret_cast<float*>(scratch + work.sums_begin());
    const Index first = part % work.image_parts * work.at_once;
    const Index count = std::min(work.at_once, work.shape.groups - first);
    const Index group = part / work.image_parts * work.shape.groups + first;
    const Index each = work.shape.out_channels;
    const Range channels{first * each, (first + count) * each};
    widen(group, count, image);
    const kernels::Conv conv{
        .shape = work.some_groups(count),
        .x = image,
        .packed_weights =
            io.inputs[1].as<float>() + channels.begin * volume(Span(work.shape.window.kernel)),
        .y = sums};
    floats.conv(conv, {0, floats.conv_tasks(conv.shape)}, scratch + work.rest_begin());
    bytes.finish_float_sums(finish, channels, work.out / each, sums,
                            io.outputs[0].data + group * work.out * output_bytes(op.conversion));
  }
};

}  // namespace

bool is_by_channels(const ConvShape& shape, Isa isa) {
  return kernels::kernels(isa).conv_way(shape) == kernels::ConvWay::depthwise;
}

std::size_t channels_scratch(const IntegerConvKernel& op, Span x, Span y) {
  return Work(op, x, y).scratch_bytes(kernels::kernels(op.isa));
}

void convolve_channels(const IntegerConvKernel& op, const KernelIo& io) {
  const Call call(op, io);
  const Work& work = call.work;
  const std::size_t parts = parts_of(io, work_of(work.shape), work.parts());
  share(io, parts, work.scratch_bytes(call.floats), [&](std::size_t part, std::byte* scratch) {
    const Range own = part_of(work.parts(), 1, part, parts);
    for (Index i = own.begin; i < own.end; ++i) call.compute(i, scratch);
  });
}

}  // namespace strata
