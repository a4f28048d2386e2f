#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// One step of an LSTM on f32: h and c of the next step, each shaped as c.
///
///   inputs   h; weights packed for `isa`; c T[.., hidden];
///            the peepholes of the gates in `peepholes`, f32[hidden] each;
///            up to two addends, each a row of all gates, or such a row for each row of c
///   outputs  next h; next c
///
///   sums = h weights + addends, four gates of `hidden` columns per row
///
/// kernels::LstmCell says what the gates then are.
struct LstmCellKernel {
  static constexpr std::string_view name = "LstmCellKernel";
  std::int64_t hidden = 0;
  std::int64_t state_size = 0;                      ///< width of h
  std::vector<std::int64_t> places = {0, 1, 2, 3};  ///< in a row, of the input, output and forget
                                                    ///< gates and the candidate
  KernelFunction input;
  KernelFunction output;
  KernelFunction forget;
  KernelFunction candidate;
  KernelFunction squash;                ///< of the next c, for the next h
  std::vector<std::int64_t> peepholes;  ///< which of the input, output and forget gates have them
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("hidden", &LstmCellKernel::hidden),
                      attr("state_size", &LstmCellKernel::state_size),
                      attr("places", &LstmCellKernel::places),
                      attr("input", &LstmCellKernel::input),
                      attr("output", &LstmCellKernel::output),
                      attr("forget", &LstmCellKernel::forget),
                      attr("candidate", &LstmCellKernel::candidate),
                      attr("squash", &LstmCellKernel::squash),
                      attr("peepholes", &LstmCellKernel::peepholes),
                      attr("isa", &LstmCellKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  std::size_t scratch_bytes(Facts in) const;
  void run(const KernelIo& io) const;
  Cost cost(Facts in, Facts out) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<LstmCellKernel>);

}  // namespace strata
