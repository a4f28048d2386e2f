#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/reverse_sequence.h"

namespace strata {

/// ReverseSequence of elements of a fixed width.
struct ReverseSequenceKernel {
  static constexpr std::string_view name = "ReverseSequenceKernel";
  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  static constexpr auto attributes() {
    return std::tuple{attr("batch_axis", &ReverseSequenceKernel::batch_axis),
                      attr("time_axis", &ReverseSequenceKernel::time_axis)};
  }
  FactList output_facts(Facts in) const {
    return ReverseSequence{batch_axis, time_axis}.output_facts(in);
  }
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<ReverseSequenceKernel>);

}  // namespace strata
