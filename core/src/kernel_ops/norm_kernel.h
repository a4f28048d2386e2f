#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// By what a row is reduced, and what its scale and bias belong to.
enum class NormKind {
  elements,  ///< mean and deviation; one number for each element of a row
  channels,  ///< mean and deviation; one number for each row's index of the axis before
  rms,       ///< the root of the mean of squares; a scale for each element of a row, no bias
};
constexpr auto enumerators(NormKind) {
  using enum NormKind;
  return std::to_array<std::pair<NormKind, std::string_view>>(
      {{elements, "elements"}, {channels, "channels"}, {rms, "rms"}});
}

/// A norm of f32 over rows, which are the axes from `axis` on. May write over its first input.
///
///   inputs   x; scale and bias (may be missing, except with channels)
struct NormKernel {
  static constexpr std::string_view name = "NormKernel";
  NormKind kind = NormKind::elements;
  std::int64_t axis = -1;  ///< negative counts from the end
  float epsilon = 1e-5F;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &NormKernel::kind), attr("axis", &NormKernel::axis),
                      attr("epsilon", &NormKernel::epsilon), attr("isa", &NormKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<NormKernel>);

}  // namespace strata
