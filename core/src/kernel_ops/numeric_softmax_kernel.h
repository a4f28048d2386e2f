#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/softmax.h"

namespace strata {

/// Softmax of any kind along any one axis of floats of any type; may write over its input.
struct NumericSoftmaxKernel {
  static constexpr std::string_view name = "NumericSoftmaxKernel";
  SoftmaxKind op = SoftmaxKind::softmax;
  std::int64_t axis = -1;  ///< negative counts from the end

  static constexpr auto attributes() {
    return std::tuple{attr("op", &NumericSoftmaxKernel::op),
                      attr("axis", &NumericSoftmaxKernel::axis)};
  }
  FactList output_facts(Facts in) const { return Softmax{op, {axis}}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<NumericSoftmaxKernel>);

}  // namespace strata
