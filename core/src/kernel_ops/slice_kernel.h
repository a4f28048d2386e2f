#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Slice of elements of a fixed width.
struct SliceKernel {
  static constexpr std::string_view name = "SliceKernel";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<SliceKernel>);

}  // namespace strata
