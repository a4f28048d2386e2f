#pragma once

#include <array>

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/reshape.h"

namespace strata {

/// How a view gets its shape.
enum class ViewKind { reshape, squeeze, unsqueeze };
constexpr auto enumerators(ViewKind) {
  using enum ViewKind;
  return std::array<std::pair<ViewKind, std::string_view>, 3>{
      {{reshape, "reshape"}, {squeeze, "squeeze"}, {unsqueeze, "unsqueeze"}}};
}

/// The same elements under another shape; costs nothing where the input's memory can be taken
/// over.
///
///   inputs   data; the other operand of the portable op, which only `output_facts` reads
struct ViewKernel {
  static constexpr std::string_view name = "ViewKernel";
  ViewKind kind = ViewKind::reshape;
  ReshapeZero zero = ReshapeZero::copy;  ///< of reshape

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &ViewKernel::kind), attr("zero", &ViewKernel::zero)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;  ///< shares the memory
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ViewKernel>);

}  // namespace strata
