#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/shape_of.h"

namespace strata {

/// ShapeOf a tensor of a known rank: its axes [begin, begin + the length of the output).
struct ShapeOfKernel {
  static constexpr std::string_view name = "ShapeOfKernel";
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< not below begin

  static constexpr auto attributes() {
    return std::tuple{attr("begin", &ShapeOfKernel::begin), attr("end", &ShapeOfKernel::end)};
  }
  FactList output_facts(Facts in) const { return ShapeOf{begin, end}.output_facts(in); }
  void run(const KernelIo& io) const;
};
static_assert(OpDef<ShapeOfKernel>);

}  // namespace strata
