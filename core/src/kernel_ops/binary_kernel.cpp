#include "kernel_ops/binary_kernel.h"

#include "kernel_ops/broadcast.h"
#include "kernel_ops/kernel_choice.h"
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
  kernels::BinaryCall call{.op = op,
                           .inner = axes.size[0],
                           .a = io.inputs[0].as<float>(),
                           .a_inner = axes.step[0][0],
                           .b = io.inputs[1].as<float>(),
                           .b_inner = axes.step[1][0],
                           .y = io.outputs[0].as<float>()};
  const kernels::KernelTable& table = kernels::kernels(isa);
  const WorkSize work = work_on(3 * volume(io.outputs[0].shape), 1);
  if (axes.rank == 1)
    return share_range(io, work, call.inner, kElementStep, [&](kernels::Range part) {
      kernels::BinaryCall own = call;
      own.inner = part.end - part.begin;
      own.a += part.begin * call.a_inner, own.b += part.begin * call.b_inner;
      own.y += part.begin;
      table.binary(own);
    });
  call.outer = axes.size[1];
  call.a_outer = axes.step[0][1];
  call.b_outer = axes.step[1][1];
  axes.for_each_row(2, [&](const std::array<std::int64_t, 2>& offset) {
    call.a = io.inputs[0].as<float>() + offset[0];
    call.b = io.inputs[1].as<float>() + offset[1];
    share_range(io, axes.rank == 2 ? work : WorkSize{}, call.outer, 1, [&](kernels::Range rows) {
      kernels::BinaryCall own = call;
      own.outer = rows.end - rows.begin;
      own.a += rows.begin * call.a_outer, own.b += rows.begin * call.b_outer;
      own.y += rows.begin * call.inner;
      table.binary(own);
    });
    call.y += call.outer * call.inner;
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
