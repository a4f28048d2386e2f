#include "kernel_ops/quantize_kernel.h"

#include "kernel_ops/integer_types.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/quantize.h"

namespace strata {
namespace {

/// Whether numbers are quantised to it by kernels.
bool is_quantised(DatumType type) { return is_8_bits(type) || is_16_bits(type); }

/// A tensor as [outer, channels, inner], with a scale for each channel.
struct Channels {
  std::int64_t outer;
  std::int64_t channels;
  std::int64_t inner;
};

Channels channels_of(Span shape, Span scale, std::int64_t axis) {
  if (volume(scale) == 1) return {1, 1, volume(shape)};
  const std::size_t at = axis_from_start(axis, shape.size());
  check_data(at < shape.size() && volume(scale) == shape[at], "(C4) scales of shape ", scale,
             " do not fit axis ", axis, " of ", shape);
  return {volume(shape.first(at)), shape[at], volume(shape.subspan(at + 1))};
}

using Convert = void (*)(const kernels::KernelTable&, const kernels::Quantization&,
                         const std::byte* x, std::byte* y);

/// Converts rows of elements that one call takes: those of a channel, or one of each where the
/// channels lie side by side.
void convert_rows(const KernelIo& io, std::int64_t axis, DatumType quantised, Isa isa,
                  Convert convert) {
  const kernels::KernelTable& table = kernels::kernels(isa);
  const Channels by = channels_of(io.inputs[0].shape, io.inputs[1].shape, axis);
  const auto* zeros = io.inputs.size() > 2 ? io.inputs[2].as<std::byte>() : nullptr;
  check_data(!zeros || volume(io.inputs[2].shape) == volume(io.inputs[1].shape),
             "(C3) zero points of shape ", Span(io.inputs.back().shape),
             " do not go with scales of shape ", Span(io.inputs[1].shape));
  const kernels::Quantization call{.type = *integer_type(quantised),
                                   .n = by.inner,
                                   .scale = io.inputs[1].as<float>(),
                                   .zero = zeros,
                                   .step = 0};
  const bool in_turn = by.inner == 1 && by.channels > 1;
  const std::int64_t rows = in_turn ? by.outer : by.outer * by.channels;
  const std::int64_t length = in_turn ? by.channels : by.inner;
  const WorkSize work = work_on(rows * length, 3);
  share_rows(io, work, rows, length, [&](std::int64_t row, kernels::Range part) {
    kernels::Quantization own = call;
    own.n = part.end - part.begin;
    own.step = in_turn ? 1 : 0;
    const std::int64_t channel = in_turn ? part.begin : row % by.channels;
    own.scale += channel;
    if (zeros) own.zero = zeros + channel * width_of(quantised);
    const std::int64_t at = row * length + part.begin;
    convert(table, own, io.inputs[0].data + at * width_of(io.inputs[0].dtype),
            io.outputs[0].data + at * width_of(io.outputs[0].dtype));
  });
}

/// Whose the scales are.
std::string scales_of(Facts in, std::int64_t axis) {
  const ShapeFact& x = in[0].shape;
  if (in[1].shape.volume() == Dim(1)) return "one scale for all";
  return axis_from_start(axis, x.rank()) + 1 < x.rank() ? "one scale for a row"
                                                        : "a scale for each number of a row";
}

/// Whether scales, and the zero points if there are any, are known to be as kernels take them.
bool has_plain_scales(const NodeView& node, std::int64_t block_size) {
  return block_size == 0 && is_f32(node.input_fact(1)) && moves_bytes(node);
}

}  // namespace

FactList QuantizeKernel::output_facts(Facts in) const {
  return Quantize{.to = to, .axis = axis}.output_facts(in);
}

void QuantizeKernel::run(const KernelIo& io) const {
  convert_rows(
      io, axis, to, isa,
      [](const kernels::KernelTable& table, const kernels::Quantization& call, const std::byte* x,
         std::byte* y) { table.quantize(call, reinterpret_cast<const float*>(x), y); });
}

std::string QuantizeKernel::explain(Facts in, Facts) const {
  return explain_vectors(is_16_bits(to) ? "to 16 bits" : "to bytes", isa, scales_of(in, axis));
}

FactList DequantizeKernel::output_facts(Facts in) const {
  return Dequantize{.axis = axis}.output_facts(in);
}

void DequantizeKernel::run(const KernelIo& io) const {
  convert_rows(
      io, axis, io.inputs[0].dtype, isa,
      [](const kernels::KernelTable& table, const kernels::Quantization& call, const std::byte* x,
         std::byte* y) { table.dequantize(call, x, reinterpret_cast<float*>(y)); });
}

std::string DequantizeKernel::explain(Facts in, Facts) const {
  return explain_vectors(is_16_bits(in[0].dtype) ? "from 16 bits" : "from bytes", isa,
                         scales_of(in, axis));
}

/// Quantize of f32 to 8 or 16 bits -> QuantizeKernel
Rewrite lower_quantize(const NodeView& node, const Target& target) {
  const Quantize* quantize = node.op().as<Quantize>();
  if (!quantize || !is_quantised(quantize->to) || quantize->precision != DatumType::f32 ||
      !is_f32(node.input_fact(0)) || !has_plain_scales(node, quantize->block_size))
    return no_change;
  return replace(node, QuantizeKernel{quantize->to, quantize->axis, target.isa}, node.inputs());
}

/// Dequantize of 8 or 16 bits to f32 -> DequantizeKernel
Rewrite lower_dequantize(const NodeView& node, const Target& target) {
  const Dequantize* dequantize = node.op().as<Dequantize>();
  if (!dequantize || !is_quantised(node.input_fact(0).dtype) || !is_f32(node.output_fact()) ||
      !has_plain_scales(node, dequantize->block_size))
    return no_change;
  return replace(node, DequantizeKernel{dequantize->axis, target.isa}, node.inputs());
}

}  // namespace strata
