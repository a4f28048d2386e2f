#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

namespace kernels {
constexpr auto enumerators(SoftmaxForm) {
  return std::array<std::pair<SoftmaxForm, std::string_view>, 2>{
      {{SoftmaxForm::plain, "plain"}, {SoftmaxForm::logarithm, "logarithm"}}};
}
}  // namespace kernels

/// Softmax of f32 along one axis, or its logarithm; may write over its input.
struct SoftmaxKernel {
  static constexpr std::string_view name = "SoftmaxKernel";
  kernels::SoftmaxForm form = kernels::SoftmaxForm::plain;
  std::int64_t axis = -1;  ///< negative counts from the end
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("form", &SoftmaxKernel::form), attr("axis", &SoftmaxKernel::axis),
                      attr("isa", &SoftmaxKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<SoftmaxKernel>);

}  // namespace strata
