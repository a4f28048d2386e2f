#include "kernel_ops/scatter_join.h"

#include <cstring>

#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

BinaryOp binary_of(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::mul:
      return BinaryOp::mul;
    case ScatterReduction::max:
      return BinaryOp::max;
    case ScatterReduction::min:
      return BinaryOp::min;
    default:
      return BinaryOp::add;
  }
}

}  // namespace

ScatterJoin::ScatterJoin(ScatterReduction reduction, DatumType type)
    : reduction_(reduction),
      row_(fast_row(binary_of(reduction), type).row),
      one_by_one_(join_elements(type)) {}

void copy_data(const KernelIo& io) {
  const std::byte* from = io.inputs[0].data;
  std::byte* to = io.outputs[0].data;
  if (to == from) return;
  const std::int64_t bytes =
      volume(io.inputs[0].shape) * static_cast<std::int64_t>(bit_width(io.inputs[0].dtype)) / 8;
  share_range(io, {0, 2 * static_cast<double>(bytes)}, bytes, kElementStep,
              [&](kernels::Range part) {
                std::memcpy(to + part.begin, from + part.begin,
                            static_cast<std::size_t>(part.end - part.begin));
              });
}

}  // namespace strata
