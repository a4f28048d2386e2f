#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/cast.h"

namespace strata {

/// Cast between numbers that are not packed.
struct CastKernel {
  static constexpr std::string_view name = "CastKernel";
  DatumType to = DatumType::f32;
  Overflow overflow = Overflow::saturate;
  FloatRounding rounding = FloatRounding::nearest_even;
  Isa isa = Isa::baseline;
  bool exact =
      false;  ///< each number already fits the new type, as the rule that made this op knows

  static constexpr auto attributes() {
    return std::tuple{attr("to", &CastKernel::to), attr("overflow", &CastKernel::overflow),
                      attr("rounding", &CastKernel::rounding), attr("isa", &CastKernel::isa),
                      attr("exact", &CastKernel::exact)};
  }
  FactList output_facts(Facts in) const { return Cast{to, overflow, rounding}.output_facts(in); }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<CastKernel>);

}  // namespace strata
