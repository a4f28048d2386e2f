#pragma once

#include "kernel_ops/fused_program.h"

namespace strata {

/// Scalar functions of f32 elements, applied one after the other while these are in the first
/// cache; inputs broadcast numpy's way, but unary functions read only inputs of the output's shape.
/// May write over its first input.
struct FusedElementwise {
  static constexpr std::string_view name = "FusedElementwise";
  FusedProgram program;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("program", &FusedElementwise::program),
                      attr("isa", &FusedElementwise::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<FusedElementwise>);

}  // namespace strata
