#pragma once

#include "kernel_ops/kernel_op.h"
#include "strata/core/ops/shape_of.h"

namespace strata {

/// ShapeOf a tensor of a known rank: its axes [begin, end). Or SizeOf it: the product of all axes.
struct ShapeOfKernel {
  static constexpr std::string_view name = "ShapeOfKernel";
  std::int64_t begin = 0;
  std::int64_t end = 0;     ///< not below begin
  bool multiplied = false;  ///< as by SizeOf

  static constexpr auto attributes() {
    return std::tuple{attr("begin", &ShapeOfKernel::begin), attr("end", &ShapeOfKernel::end),
                      attr("multiplied", &ShapeOfKernel::multiplied)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
};
static_assert(OpDef<ShapeOfKernel>);

}  // namespace strata
