#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Select between elements of a fixed width; may write over the operand that is not stretched.
struct SelectKernel {
  static constexpr std::string_view name = "SelectKernel";
  std::int64_t overwritten = 1;  ///< input
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("overwritten", &SelectKernel::overwritten),
                      attr("isa", &SelectKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const {
    return static_cast<std::size_t>(overwritten);
  }
};
static_assert(OpDef<SelectKernel>);

}  // namespace strata
