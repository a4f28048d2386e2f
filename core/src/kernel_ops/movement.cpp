#include "kernel_ops/movement.h"

#include "kernel_ops/shared_work.h"

namespace strata {

bool is_movable(const Fact& fact) {
  return fact.is_tensor() && fact.shape.is_known() && fact.shape.rank() <= kMaxKernelRank &&
         bit_width(fact.dtype) >= 8;
}

bool moves_bytes(const NodeView& node) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    if (!is_movable(node.input_fact(i))) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (!is_movable(node.output_fact(i))) return false;
  return true;
}

bool is_known_index(const NodeView& node, std::size_t i) {
  if (i >= node.inputs().size()) return true;
  return is_index(node.input_fact(i)) && node.input_fact(i).constant();
}

std::optional<std::int64_t> run_bytes(const Fact& fact, std::size_t at) {
  auto bytes = static_cast<std::int64_t>(bit_width(fact.dtype) / 8);
  for (std::size_t axis = at; axis < fact.shape.rank(); ++axis) {
    const auto size = fact.shape[axis].constant();
    if (!size) return std::nullopt;
    bytes *= *size;
  }
  return bytes;
}

void run_copy(const KernelIo& io, const kernels::StridedCopy& copy, const std::byte* from,
              std::byte* to) {
  const WorkSize work{0, 2 * static_cast<double>(copy.bytes())};
  if (!may_share(io, work)) return copy.run(from, to);
  const auto [things, step] = copy.cut();
  share_range(io, work, things, step, [&](kernels::Range part) { copy.run_part(from, to, part); });
}

}  // namespace strata
