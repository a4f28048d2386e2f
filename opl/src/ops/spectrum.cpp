#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/dft.h"
#include "strata/core/ops/gather.h"

// Fourier transforms: complex numbers are two numbers along the last axis.

namespace strata::opl {
namespace {

Standard write_dft(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Dft>();
  const auto axis = constant_integer(node, 1);
  const auto rank = input_rank(node, 0);
  if (op.inverse || op.one_sided || node.inputs().size() > 2 || !axis || !rank ||
      node.input_fact(0).shape.dims().back() != Dim(2))
    return std::nullopt;
  return call("tract_core_fft", {positional(writer.input(node, 0)),
                                 named("axis", number(*normalized_axis(*axis, rank))),
                                 named("inverse", logical(false))});
}

/// The extent of an axis, where it is known.
std::int64_t extent(Invocation& call, OutletId wire, std::int64_t axis) {
  const std::size_t rank = call.rank(wire);
  if (axis < 0 || static_cast<std::size_t>(axis) >= rank)
    call.fail(cat("axis ", axis, " of a tensor of rank ", rank));
  const auto size = call.fact(wire).shape[static_cast<std::size_t>(axis)].constant();
  if (!size) call.unsupported(cat(call.fragment(), " along an axis whose size is not known"));
  return *size;
}

OutletId axis_constant(Invocation& call, std::int64_t axis) {
  return call.constant("axis", Tensor::scalar(axis));
}

/// tract's inverse does not divide by the length.
OutletIds read_fft(Invocation& call) {
  const OutletId input = call.wire("input");
  const std::int64_t axis = call.integer("axis");
  Dft op;
  op.inverse = call.logical("inverse", false);
  if (!op.inverse) return call.make(op, {input, axis_constant(call, axis)});
  const std::int64_t length = extent(call, input, axis);
  const OutletId mean = call.step("mean", op, {input, axis_constant(call, axis)});
  const OutletId count =
      call.number_constant("length", call.fact(input).dtype, static_cast<double>(length));
  return call.make(BinaryOp::mul, mean, count);
}

/// The window in the middle of a frame, with a size of 1 for each of the `behind` axes after the
/// frame's.
Tensor padded_window(Invocation& call, std::int64_t frame, std::size_t behind) {
  const Tensor* window = call.fact(call.wire("window")).constant();
  if (window == nullptr || window->rank() != 1 || window->size() > frame)
    call.fail("the window must be a constant vector, no longer than the frame");
  Shape shape(behind + 1, 1);
  shape[0] = frame;
  MutableTensor out = MutableTensor::zeros(DatumType::f64, shape);
  const std::int64_t before = (frame - window->size()) / 2;
  for (std::int64_t i = 0; i < window->size(); ++i)
    out.as<double>()[static_cast<std::size_t>(before + i)] = number_at(*window, i);
  return std::move(out).freeze();
}

/// Where each element of each frame lies: [frames, frame].
Tensor frame_places(std::int64_t frames, std::int64_t frame, std::int64_t stride) {
  MutableTensor out(DatumType::i64, Shape{frames, frame});
  auto place = out.as<std::int64_t>().begin();
  for (std::int64_t i = 0; i < frames; ++i)
    for (std::int64_t k = 0; k < frame; ++k) *place++ = i * stride + k;
  return std::move(out).freeze();
}

/// Frames along a new axis after the one that they are cut from, each transformed.
OutletIds read_stft(Invocation& call) {
  const OutletId input = call.wire("input");
  const std::int64_t axis = call.integer("axis"), frame = call.integer("frame"),
                     stride = call.integer("stride");
  const std::int64_t samples = extent(call, input, axis);
  if (frame < 1 || stride < 1 || frame > samples)
    call.fail(cat("frames of ", frame, " at a stride of ", stride, " from ", samples, " samples"));
  const std::int64_t frames = (samples - frame) / stride + 1;
  OutletId framed =
      call.step("frames", Gather{axis},
                {input, call.constant("places", frame_places(frames, frame, stride))});
  if (call.has_tensor("window")) {
    const std::size_t behind = call.rank(input) - static_cast<std::size_t>(axis) - 1;
    const Tensor window = cast(padded_window(call, frame, behind), call.fact(input).dtype);
    framed = call.step("windowed", BinaryOp::mul, framed, call.constant("window", window));
  }
  return call.make(Dft{}, {framed, axis_constant(call, axis + 1)});
}

}  // namespace

void register_spectrum(Writers& writers) { writers.add("Dft", write_dft); }

void register_spectrum(Readers& readers) {
  readers.add("tract_core_fft", "input, axis, inverse", read_fft);
  readers.add("tract_core_stft", "input, axis, frame, stride, window", read_stft);
}

}  // namespace strata::opl
