#include "kernel_ops/binary_kernel.h"

#include "kernel_ops/broadcast.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/binary.h"

namespace strata {

std::optional<kernels::Binary> kernel_binary(BinaryOp op) {
  using enum BinaryOp;
  using Kernel = kernels::Binary;
  static constexpr std::pair<BinaryOp, Kernel> kFunctions[] = {
      {add, Kernel::add}, {sub, Kernel::sub}, {mul, Kernel::mul}, {div, Kernel::div},
      {min, Kernel::min}, {max, Kernel::max}, {pow, Kernel::pow}, {fmod, Kernel::fmod}};
  for (const auto& [portable, function] : kFunctions)
    if (portable == op) return function;
  return std::nullopt;
}

FactList BinaryKernel::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  return {Fact::tensor(DatumType::f32, broadcast(in[0].shape, in[1].shape))};
}

void BinaryKernel::run(const KernelIo& io) const {
  const Broadcast<2> axes(io);
  if (axes.is_empty()) return;
  const kernels::KernelTable& table = kernels::kernels(isa);
  // A small image that is weighed channel by channel has mostly been summed up before, by one
  // thread.
  constexpr std::int64_t kSmallImage = 128 * 1024;
  const std::int64_t size = volume(io.outputs[0].shape);
  const bool stays = axes.rank > 2 && size < kSmallImage;
  const WorkSize work = stays ? WorkSize{} : work_on(3 * size, 1);
  axes.share(io, work, axes.rank == 1 ? kElementStep : 1,
             [&](const auto& offset, kernels::Range rows, kernels::Range columns, std::int64_t y) {
               const auto at = [&](std::size_t k) {
                 return io.inputs[k].as<float>() + offset[k] + rows.begin * axes.step[k][1] +
                        columns.begin * axes.step[k][0];
               };
               table.binary({.op = op,
                             .outer = rows.end - rows.begin,
                             .inner = columns.end - columns.begin,
                             .a = at(0),
                             .a_outer = axes.step[0][1],
                             .a_inner = axes.step[0][0],
                             .b = at(1),
                             .b_outer = axes.step[1][1],
                             .b_inner = axes.step[1][0],
                             .y = io.outputs[0].as<float>() + y + rows.begin * axes.size[0] +
                                  columns.begin});
             });
}

std::string BinaryKernel::explain(Facts in, Facts) const {
  return explain_vectors("function of pairs", isa,
                         in[0].shape == in[1].shape
                             ? ""
                             : "one operand stretches, which rows of the other take once each");
}

/// Binary on f32 -> BinaryKernel
Rewrite lower_binary(const NodeView& node, const Target& target) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || !is_f32(node.input_fact(0)) || !is_f32(node.input_fact(1)) ||
      !is_f32(node.output_fact()))
    return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  if (shape.is_open() || shape.rank() > kMaxKernelRank) return no_change;
  const auto op = kernel_binary(binary->op);
  return op ? replace(node, BinaryKernel{*op, target.isa}, node.inputs()) : Rewrite(no_change);
}

}  // namespace strata
