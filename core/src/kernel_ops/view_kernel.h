#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// The same elements under another, fixed shape; costs nothing where the input's memory can be
/// taken over.
struct ViewKernel {
  static constexpr std::string_view name = "ViewKernel";
  DatumType dtype = DatumType::f32;
  Shape shape;

  static constexpr auto attributes() {
    return std::tuple{attr("dtype", &ViewKernel::dtype), attr("shape", &ViewKernel::shape)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const noexcept;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ViewKernel>);

}  // namespace strata
