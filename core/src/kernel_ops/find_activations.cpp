#include <cmath>
#include <limits>

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"

/// Rules that find the functions kernels have in what exporters write for them.
namespace strata {
namespace {

/// A wire and a number that are the operands of a Binary.
struct WithNumber {
  OutletId wire;
  float number;
};

/// `wire` as `op` of another wire and a number, on either side but for div.
std::optional<WithNumber> with_number(const TypedModel& model, OutletId wire, BinaryOp op) {
  const TypedNode& node = model.node(wire.node);
  const Binary* binary = node.op.as<Binary>();
  if (!binary || binary->op != op) return std::nullopt;
  for (const std::size_t i : {1, 0}) {
    if (i == 0 && op == BinaryOp::div) break;
    const auto number = number_in(model.fact(node.inputs[i]));
    const OutletId other = node.inputs[1 - i];
    if (number && surely_equal(model.fact(other).shape, model.fact(wire).shape))
      return WithNumber{other, *number};
  }
  return std::nullopt;
}

/// `wire` as a sixth of another: times a number or by one.
std::optional<OutletId> sixth_of(const TypedModel& model, OutletId wire) {
  if (const auto by = with_number(model, wire, BinaryOp::div); by && by->number == 6)
    return by->wire;
  const auto times = with_number(model, wire, BinaryOp::mul);
  if (times && std::fabs(times->number * 6 - 1) < 1e-6f) return times->wire;
  return std::nullopt;
}

/// Whether `wire` is clip(x + 3, 0, 6).
bool is_six_times_gate(const TypedModel& model, OutletId wire, OutletId x) {
  const auto high = with_number(model, wire, BinaryOp::min);
  if (!high || high->number != 6) return false;
  const auto low = with_number(model, high->wire, BinaryOp::max);
  if (!low || low->number != 0) return false;
  const auto sum = with_number(model, low->wire, BinaryOp::add);
  return sum && sum->number == 3 && sum->wire == x;
}

/// Whether `wire` is clip(x / 6 + 1/2, 0, 1).
bool is_gate(const TypedModel& model, OutletId wire, OutletId x) {
  if (const auto six = sixth_of(model, wire)) return is_six_times_gate(model, *six, x);
  const TypedNode& node = model.node(wire.node);
  const Activation* activation = node.op.as<Activation>();
  return activation && activation->op == ActivationKind::hard_sigmoid && node.inputs[0] == x &&
         std::fabs(activation->alpha * 6 - 1) < 1e-6 && activation->beta == 0.5;
}

bool rounds(const KernelFunction& function) {
  return function.op == kernels::Unary::to_f16 || function.op == kernels::Unary::to_bf16;
}

/// The range [low, high] that a function clips to; nothing for another function.
std::optional<std::pair<float, float>> clip_range(const KernelFunction& function) {
  if (function.op == kernels::Unary::clip || rounds(function))
    return std::pair{function.alpha, function.beta};
  if (function.op == kernels::Unary::relu)
    return std::pair{0.0f, std::numeric_limits<float>::infinity()};
  return std::nullopt;
}

/// Whether rounding, which keeps the order of numbers, may as well come behind the clip as before
/// it: the ends of its range are numbers of the type.
bool may_round_behind(const KernelFunction& rounding, const KernelFunction& clip) {
  const auto is_kept = [&](float x) {
    return rounding.op == kernels::Unary::to_f16 ? static_cast<float>(f16(x)) == x
                                                 : static_cast<float>(bf16(x)) == x;
  };
  const auto range = *clip_range(clip);
  return is_kept(range.first) && is_kept(range.second);
}

}  // namespace

/// x * clip(x / 6 + 1/2, 0, 1), however written -> Unary hard_swish(x)
Rewrite find_hard_swish(const NodeView& node, const Target&) {
  if (!node.op().as<Binary>() || !is_f32(node.output_fact())) return no_change;
  const TypedModel& model = node.model;
  const auto six_times = sixth_of(model, node.output());
  const OutletId product = six_times.value_or(node.output());
  const TypedNode& maker = model.node(product.node);
  const Binary* mul = maker.op.as<Binary>();
  if (!mul || mul->op != BinaryOp::mul) return no_change;
  for (const std::size_t i : {0, 1}) {
    const OutletId x = maker.inputs[i], gate = maker.inputs[1 - i];
    if (six_times ? is_six_times_gate(model, gate, x) : is_gate(model, gate, x))
      return replace(node, Unary{UnaryOp::hard_swish}, {x});
  }
  return no_change;
}

/// x * sigmoid(x) -> Unary silu(x), which can become part of what makes x
Rewrite find_silu(const NodeView& node, const Target&) {
  const Binary* mul = node.op().as<Binary>();
  if (!mul || mul->op != BinaryOp::mul || !is_f32(node.output_fact())) return no_change;
  for (const std::size_t i : {1, 0}) {
    const Unary* gate = node.producer_as<Unary>(i);
    const OutletId x = node.input(1 - i);
    if (gate && gate->op == UnaryOp::sigmoid && node.producer(i).input(0) == x &&
        node.sole_reader(node.input(i)))
      return replace(node, Unary{UnaryOp::silu}, {x});
  }
  return no_change;
}

/// max(x, number) -> UnaryKernel clip(x), and min likewise
Rewrite find_clip(const NodeView& node, const Target& target) {
  const Binary* binary = node.op().as<Binary>();
  if (!binary || !is_f32(node.output_fact())) return no_change;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const BinaryOp op : {BinaryOp::max, BinaryOp::min}) {
    const auto bound = with_number(node.model, node.output(), op);
    if (!bound || std::isnan(bound->number)) continue;
    KernelFunction clip{kernels::Unary::clip, -kInfinity, kInfinity};
    (op == BinaryOp::max ? clip.alpha : clip.beta) = bound->number;
    return replace(node, UnaryKernel{clip, target.isa}, {bound->wire});
  }
  return no_change;
}

std::optional<KernelFunction> composed(const KernelFunction& first, const KernelFunction& second) {
  if (first.is_identity()) return second;
  const auto a = clip_range(first), b = clip_range(second);
  if (!a || !b || a->first > a->second || b->first > b->second) return std::nullopt;
  if (rounds(first) && rounds(second) && first.op != second.op) return std::nullopt;
  if (rounds(first) && !may_round_behind(first, second)) return std::nullopt;
  const auto within = [&](float x) { return std::fmin(std::fmax(x, b->first), b->second); };
  const auto op = rounds(first) ? first.op : rounds(second) ? second.op : kernels::Unary::clip;
  return KernelFunction{op, within(a->first), within(a->second)};
}

/// UnaryKernel clip(UnaryKernel clip(x)) -> UnaryKernel clip(x)
Rewrite join_clips(const NodeView& node, const Target&) {
  const UnaryKernel* second = node.op().as<UnaryKernel>();
  const UnaryKernel* first = second ? node.producer_as<UnaryKernel>(0) : nullptr;
  if (!first || !node.sole_reader(node.input(0))) return no_change;
  const auto both = composed(first->function, second->function);
  if (!both) return no_change;
  return replace(node, UnaryKernel{*both, second->isa}, node.producer(0).inputs());
}

}  // namespace strata
