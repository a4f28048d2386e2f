#include "kernel_ops/trilu_kernel.h"

#include <algorithm>
#include <cstring>

#include "kernel_ops/movement.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"

namespace strata {

void TriluKernel::run(const KernelIo& io) const {
  const TensorView& data = io.inputs[0];
  const Span shape = data.shape;
  const std::int64_t size = width_of(data), width = shape.back(), height = shape[shape.size() - 2];
  const std::int64_t k = io.inputs.size() > 1 ? integer_at(io.inputs[1], 0) : 0;
  // Of row r, the columns before r + shift are on one side, the others on the other.
  const std::int64_t shift =
      std::clamp(kept == Triangle::upper ? k : std::min(k, width) + 1, -height, width);
  const std::int64_t rows = volume(shape) == 0 ? 0 : volume(shape) / width;
  share_range(io, work_on(rows * width * size / 2, 1), rows, 1, [&](kernels::Range part) {
    for (std::int64_t row = part.begin; row < part.end; ++row) {
      const std::int64_t cut = std::clamp<std::int64_t>(row % height + shift, 0, width);
      const std::int64_t begin = kept == Triangle::upper ? cut : 0,
                         end = kept == Triangle::upper ? width : cut;
      const std::byte* from = data.data + row * width * size;
      std::byte* to = io.outputs[0].data + row * width * size;
      const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count * size); };
      if (from != to) std::memcpy(to + begin * size, from + begin * size, bytes(end - begin));
      std::memset(to, 0, bytes(begin));
      std::memset(to + end * size, 0, bytes(width - end));
    }
  });
}

std::string TriluKernel::explain(Facts, Facts) const { return "copy, rows cut at the diagonal"; }

/// Trilu -> TriluKernel
Rewrite lower_trilu(const NodeView& node, const Target&) {
  const Trilu* trilu = node.op().as<Trilu>();
  if (!trilu || !moves_bytes(node)) return no_change;
  if (node.inputs().size() > 1 &&
      (!is_index(node.input_fact(1)) || node.input_fact(1).shape.volume() != Dim(1)))
    return no_change;
  return replace(node, TriluKernel{trilu->kept}, node.inputs());
}

}  // namespace strata
