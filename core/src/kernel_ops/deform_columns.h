#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/deform_conv.h"

namespace strata {

/// What a DeformConv of f32 multiplies its weights by: x at all moved taps, weighted by the mask.
///
///   inputs   x         f32[N, D1, .., Dn, C]
///            offsets, mask (may be missing) as in DeformConv
///   output   f32[N, group, o1 * .., taps * C / group]
struct DeformColumns : DeformConv {
  static constexpr std::string_view name = "DeformColumns";
  Shape weights;  ///< sizes of the weights

  static constexpr auto attributes() {
    return std::tuple_cat(DeformConv::attributes(),
                          std::tuple{attr("weights", &DeformColumns::weights)});
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<DeformColumns>);

}  // namespace strata
