#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// Tile of elements of a fixed width.
struct TileKernel {
  static constexpr std::string_view name = "TileKernel";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<TileKernel>);

}  // namespace strata
