#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Quantize of f32 to 8 or 16 bits, with one f32 scale for all or one for each index of an axis.
struct QuantizeKernel {
  static constexpr std::string_view name = "QuantizeKernel";
  DatumType to = DatumType::u8;
  std::int64_t axis = 1;  ///< negative counts from the end
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("to", &QuantizeKernel::to), attr("axis", &QuantizeKernel::axis),
                      attr("isa", &QuantizeKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<QuantizeKernel>);

/// Dequantize of 8 or 16 bits to f32, with scales as in QuantizeKernel.
struct DequantizeKernel {
  static constexpr std::string_view name = "DequantizeKernel";
  std::int64_t axis = 1;  ///< negative counts from the end
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &DequantizeKernel::axis), attr("isa", &DequantizeKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<DequantizeKernel>);

}  // namespace strata
