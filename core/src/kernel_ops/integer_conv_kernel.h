#pragma once

#include "kernel_ops/integer_operands.h"
#include "strata/core/ops/conv.h"

namespace strata {

/// The i32 convolution of bytes less their zero points, then converted; up to three spatial axes.
///
///   inputs   x  u8 or i8; weights packed for `isa`
///            zero point of x, i32 (with `zero_x`): one number, of the type of x
///            bias i32[M] (with `biased`)
///            the operands of the conversion
struct IntegerConvKernel {
  static constexpr std::string_view name = "IntegerConvKernel";
  Shape strides;
  Shape dilations;
  Padding padding;
  std::int64_t group = 1;
  Shape weights;              ///< shape before packing
  bool zero_weights = false;  ///< whether there are zero points among the packed weights
  bool zero_x = false;
  bool biased = false;
  SumConversion conversion;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    using Op = IntegerConvKernel;
    return std::tuple{attr("strides", &Op::strides),       attr("dilations", &Op::dilations),
                      attr("padding", &Op::padding),       attr("group", &Op::group),
                      attr("weights", &Op::weights),       attr("zero_weights", &Op::zero_weights),
                      attr("zero_x", &Op::zero_x),         attr("biased", &Op::biased),
                      attr("conversion", &Op::conversion), attr("isa", &Op::isa)};
  }
  Conv op() const { return {strides, dilations, padding, group}; }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;

  /// Inputs before the operands of the conversion.
  std::size_t own_inputs() const { return 2 + (zero_x ? 1u : 0u) + (biased ? 1u : 0u); }
  /// The axes of an output along which operands of the conversion may stretch.
  static bool may_stretch(const ShapeFact&, std::size_t axis) { return axis == 1; }
};
static_assert(OpDef<IntegerConvKernel>);

/// A kernel with the inputs it needs before the operands of a conversion.
struct IntegerConvCall {
  IntegerConvKernel kernel;
  OutletIds inputs;
};
/// The convolution with constant weights, a row for each channel; the zero point of x has the type
/// of x. Nothing where the operands are not suitable.
std::optional<IntegerConvCall> integer_conv(Patch& patch, const Conv& op, const CentredBytes& x,
                                            const ByteWeights& weights, Isa isa);

}  // namespace strata
