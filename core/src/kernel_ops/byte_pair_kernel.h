#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// A function of pairs of 8-bit numbers, in 8 bits: Quantize(f(Dequantize(a), Dequantize(b))) for a
/// and b of the output's shape, in pieces that stay in the first cache, or sums in registers.
/// Inputs: a, b, and a scale and a zero point of a, of b and of the output, each a single number.
/// May write over a.
struct BytePairKernel {
  static constexpr std::string_view name = "BytePairKernel";
  kernels::Binary op = kernels::Binary::add;
  DatumType to = DatumType::u8;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &BytePairKernel::op), attr("to", &BytePairKernel::to),
                      attr("isa", &BytePairKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
  std::string explain(Facts in, Facts out) const;

 private:
  void run_part(const KernelIo& io, kernels::Range part) const;
};
static_assert(OpDef<BytePairKernel>);

}  // namespace strata
