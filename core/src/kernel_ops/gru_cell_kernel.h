#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

namespace kernels {
constexpr auto enumerators(GruReset) {
  return std::array<std::pair<GruReset, std::string_view>, 2>{
      {{GruReset::after_product, "after_product"}, {GruReset::before_product, "before_product"}}};
}
}  // namespace kernels

/// One step of a GRU on f32: h of the next step.
///
///   inputs   h T[.., hidden]
///            after_product: weights of all gates packed for `isa`
///            before_product: weights of update and reset, in this order, packed for `isa`; weights
///            of the candidate packed for `isa`
///            x: one wire with a row of three gates for each row of h; or three wires, one per gate
///            after_product: a bias f32[3 hidden] (may be missing)
///   output   next h
///
/// kernels::GruCell says what the gates are.
struct GruCellKernel {
  static constexpr std::string_view name = "GruCellKernel";
  std::int64_t hidden = 0;
  kernels::GruReset reset_kind = kernels::GruReset::after_product;
  std::vector<std::int64_t> places = {0, 1,
                                      2};  ///< of update, reset and candidate in rows of three
  std::size_t x_wires = 1;                 ///< 1 or 3
  KernelFunction update;
  KernelFunction reset;
  KernelFunction candidate;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("hidden", &GruCellKernel::hidden),
                      attr("reset_kind", &GruCellKernel::reset_kind),
                      attr("places", &GruCellKernel::places),
                      attr("x_wires", &GruCellKernel::x_wires),
                      attr("update", &GruCellKernel::update),
                      attr("reset", &GruCellKernel::reset),
                      attr("candidate", &GruCellKernel::candidate),
                      attr("isa", &GruCellKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<GruCellKernel>);

}  // namespace strata
