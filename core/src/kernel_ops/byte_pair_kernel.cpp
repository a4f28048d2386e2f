#include "kernel_ops/byte_pair_kernel.h"

#include <algorithm>

#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/integer_types.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/quantize_kernel.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

constexpr std::int64_t kTile = 1024;           ///< numbers at once
constexpr double kSteps = 48, kSumSteps = 24;  ///< for each pair
constexpr std::size_t kInputs = 8;
/// If floats may be more steps off, too many sums lie too near to the middle between two bytes.
constexpr float kMostError = 1e-3f;

/// The quantisation of operand k: a, b or the output.
kernels::Quantization quantization(const KernelIo& io, std::size_t k, DatumType type,
                                   std::int64_t n) {
  return {.type = *integer_type(type),
          .n = n,
          .scale = io.inputs[2 + 2 * k].as<float>(),
          .zero = io.inputs[3 + 2 * k].data,
          .step = 0};
}

/// The zero point of operand k: a, b or the output.
std::int32_t zero_of(const KernelIo& io, std::size_t k) {
  const TensorView& zero = io.inputs[3 + 2 * k];
  return zero.dtype == DatumType::i8 ? *zero.as<std::int8_t>() : *zero.as<std::uint8_t>();
}
float scale_of(const KernelIo& io, std::size_t k) { return *io.inputs[2 + 2 * k].as<float>(); }

kernels::ByteSum::Operand operand(const KernelIo& io, std::size_t k) {
  const bool is_signed = io.inputs[k].dtype == DatumType::i8;
  return {io.inputs[k].as<std::uint8_t>(), is_signed, scale_of(io, k), zero_of(io, k)};
}

/// The ends of an operand's terms in a sum, in steps of the output.
struct Terms {
  double least, greatest;

  Terms(const kernels::ByteSum::Operand& x, double step)
      : least((x.is_signed ? -128 - x.zero : -x.zero) * (x.scale / step)),
        greatest(least + 255 * (x.scale / step)) {}
  double size() const { return std::max(-least, greatest); }
};

/// How many steps of the output floats are off, at most, where that does not saturate. The terms and
/// what is made of them are rounded no more than three times each, by 2^-24 of their size at most.
/// Beyond what is negative in them, terms are no larger than their sum.
double error_of(const kernels::ByteSum& sum) {
  constexpr double kMostSum = 256;
  if (!(sum.a.scale > 0 && sum.b.scale > 0 && sum.scale > 0)) return 1;
  const Terms a(sum.a, sum.scale), b(sum.b, sum.scale);
  return 3 * 0x1p-24 *
         (kMostSum + std::min(a.size() + b.size(), kMostSum - 2 * (a.least + b.least)));
}

/// Whether a QuantizeKernel or DequantizeKernel has one scale and one zero point.
bool is_plain(const NodeView& node) {
  const auto is_one = [&](std::size_t i) { return node.input_fact(i).shape.volume() == Dim(1); };
  return node.inputs().size() > 2 && is_one(1) && is_one(2);
}

}  // namespace

FactList BytePairKernel::output_facts(Facts in) const {
  check_arity(name, in, kInputs, kInputs);
  check(in[0].shape == in[1].shape, name, " of two shapes");
  return {Fact::tensor(to, in[0].shape)};
}

/// Numbers [part.begin, part.end), piece by piece as floats.
void BytePairKernel::run_part(const KernelIo& io, kernels::Range part) const {
  const kernels::KernelTable& table = kernels::kernels(isa);
  alignas(64) float number[2][kTile];
  for (std::int64_t at = part.begin; at < part.end; at += kTile) {
    const std::int64_t n = std::min(kTile, part.end - at);
    for (std::size_t k = 0; k < 2; ++k)
      table.dequantize(quantization(io, k, io.inputs[k].dtype, n), io.inputs[k].data + at,
                       number[k]);
    table.binary({.op = op,
                  .outer = 1,
                  .inner = n,
                  .a = number[0],
                  .a_outer = n,
                  .a_inner = 1,
                  .b = number[1],
                  .b_outer = n,
                  .b_inner = 1,
                  .y = number[0]});
    table.quantize(quantization(io, 2, to, n), number[0], io.outputs[0].data + at);
  }
}

void BytePairKernel::run(const KernelIo& io) const {
  const kernels::KernelTable& table = kernels::kernels(isa);
  const std::int64_t size = volume(io.outputs[0].shape);
  kernels::ByteSum sum{.a = operand(io, 0),
                       .b = operand(io, 1),
                       .y = io.outputs[0].as<std::uint8_t>(),
                       .is_signed = to == DatumType::i8,
                       .scale = scale_of(io, 2),
                       .zero = zero_of(io, 2)};
  sum.error = static_cast<float>(error_of(sum));
  const bool adds = op == kernels::Binary::add && sum.error < kMostError;
  share_range(io, work_on(size, adds ? kSumSteps : kSteps), size, kElementStep,
              [&](kernels::Range part) {
                if (!adds) return run_part(io, part);
                const std::int64_t added = table.add_bytes(sum, part);
                run_part(io, {part.begin + added, part.end});
              });
}

std::string BytePairKernel::explain(Facts, Facts) const {
  return explain_vectors("function of two bytes", isa,
                         op == kernels::Binary::add
                             ? "sums stay in registers, unless their terms are too large for floats"
                             : "pieces stay in the first cache as floats");
}

/// QuantizeKernel(BinaryKernel(DequantizeKernel(a), DequantizeKernel(b)))  ->  BytePairKernel(a,
/// b), where all are of one shape, each has one scale and one zero point and nobody else reads the
/// result in between
Rewrite fuse_byte_pair(const NodeView& node, const Target&) {
  const auto* quantize = node.op().as<QuantizeKernel>();
  const OutletId wire = node.inputs()[0];
  const NodeView pair{node.model, wire.node};
  const auto* binary = pair.op().as<BinaryKernel>();
  if (!quantize || !is_8_bits(quantize->to) || !binary || !is_plain(node) ||
      node.model.is_output(wire) || node.model.successors(wire).size() != 1)
    return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  OutletIds inputs{kAbsent, kAbsent};
  for (std::size_t k = 0; k < 2; ++k) {
    const NodeView from{node.model, pair.inputs()[k].node};
    if (!from.op().as<DequantizeKernel>() || !is_8_bits(from.input_fact(0).dtype) ||
        !is_plain(from) || shape.is_open() || from.output_fact().shape != shape)
      return no_change;
    inputs[k] = from.inputs()[0];
    for (const std::size_t i : {1, 2}) inputs.push_back(from.inputs()[i]);
  }
  for (const std::size_t i : {1, 2}) inputs.push_back(node.inputs()[i]);
  return replace(node, BytePairKernel{binary->op, quantize->to, quantize->isa}, inputs);
}

}  // namespace strata
