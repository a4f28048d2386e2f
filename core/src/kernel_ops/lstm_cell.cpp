#include <algorithm>
#include <set>

#include "kernel_ops/cell_match.h"
#include "kernel_ops/lstm_cell_kernel.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/rules.h"

namespace strata {
namespace {

struct Gate {
  KernelFunction function;
  WirePart part;
  OutletId peephole = kAbsent;
};

/// The wires and gates of one step.
struct LstmStep {
  OutletId c, next_c;
  std::array<Gate, 4> gates;  ///< input, output, forget, candidate
  KernelFunction squash;
};

class LstmMatch {
 public:
  explicit LstmMatch(const NodeView& node) : node_(node), match_(node.model) {}

  /// next_h = output . squash(next_c)
  std::optional<LstmStep> step() const {
    const auto factors = match_.binary(BinaryOp::mul, node_.output());
    if (!factors || match_.width(node_.output()).value_or(0) == 0) return std::nullopt;
    for (const auto& [output, squashed] : both_orders(*factors)) {
      const auto squash = match_.inner_function(squashed);
      if (!squash) continue;
      const auto gate = this->gate(output, squash->operand);
      if (!gate) continue;
      if (auto found = with_output(*gate, *squash)) return found;
    }
    return std::nullopt;
  }

  /// The sum that all gates are parts of, when nothing else reads it.
  std::optional<OutletId> sums(const LstmStep& step) const {
    const OutletId whole = step.gates[0].part.whole;
    const std::int64_t hidden = *match_.width(step.c);
    std::set<std::int64_t> begins;
    std::set<std::uint32_t> makers;
    for (const Gate& gate : step.gates) {
      if (gate.part.whole != whole || gate.part.begin % hidden != 0) return std::nullopt;
      begins.insert(gate.part.begin / hidden);
      makers.insert(gate.part.maker);
    }
    if (begins != std::set<std::int64_t>{0, 1, 2, 3} || match_.width(whole) != 4 * hidden ||
        !match_.has_readers(whole, makers.size()))
      return std::nullopt;
    return whole;
  }

  const CellMatch& match() const { return match_; }

 private:
  /// next_c = forget . c + input . candidate
  std::optional<LstmStep> with_output(const Gate& output, const AppliedFunction& squash) const {
    const auto terms = match_.binary(BinaryOp::add, squash.operand);
    if (!terms) return std::nullopt;
    for (const auto& [kept, fresh] : both_orders(*terms)) {
      const auto keep = match_.inner_binary(BinaryOp::mul, kept);
      const auto add = match_.inner_binary(BinaryOp::mul, fresh);
      if (!keep || !add) continue;
      for (const auto& [forgets, c] : both_orders(*keep)) {
        if (!surely_equal(match_.fact(c).shape, node_.output_fact().shape)) continue;
        const auto forget = gate(forgets, c);
        auto input = gate((*add)[0], c), candidate = gate((*add)[1], c);
        if (!forget || !input || !candidate) continue;
        if (!candidate->peephole.is_absent()) std::swap(input, candidate);
        if (!candidate->peephole.is_absent()) continue;
        return LstmStep{c, squash.operand, {*input, output, *forget, *candidate}, squash.function};
      }
    }
    return std::nullopt;
  }

  /// f(part), or f(part + peephole . seen)
  std::optional<Gate> gate(OutletId wire, OutletId seen) const {
    const auto applied = match_.inner_function(wire);
    if (!applied || !surely_equal(match_.fact(applied->operand).shape, node_.output_fact().shape))
      return std::nullopt;
    if (const auto part = match_.part(applied->operand)) return Gate{applied->function, *part};
    const auto terms = match_.inner_binary(BinaryOp::add, applied->operand);
    if (!terms) return std::nullopt;
    for (const auto& [cut, looked] : both_orders(*terms)) {
      const auto part = match_.part(cut);
      const auto factors = match_.inner_binary(BinaryOp::mul, looked);
      if (!part || !factors) continue;
      for (const auto& [state, peephole] : both_orders(*factors))
        if (state == seen && is_peephole(peephole)) return Gate{applied->function, *part, peephole};
    }
    return std::nullopt;
  }

  /// A constant row, or one that the body is given: it cannot depend on the next c.
  bool is_peephole(OutletId wire) const {
    const TypedOp& maker = node_.model.node(wire.node).op;
    const ShapeFact& shape = match_.fact(wire).shape;
    return (maker.as<Const>() || maker.as<Source>()) && shape.is_known() && shape.rank() == 1 &&
           shape[0] == node_.output_fact().shape.dims().back();
  }

  const NodeView& node_;
  CellMatch match_;
};

}  // namespace

/// h' = f_o(o) . f_h(c'), c' = f_f(f) . c + f_i(i) . f_g(g) with i, o, f, g parts of
/// MatMul(h, constant) + addends  ->  h', c' = LstmCellKernel(h, packed constant, c, addends)
Rewrite fuse_lstm_cell(const NodeView& node, const Target& target) {
  const LstmMatch lstm(node);
  const auto step = lstm.step();
  const auto sums = step ? lstm.sums(*step) : std::nullopt;
  const auto projection = sums ? lstm.match().projection(*sums) : std::nullopt;
  if (!projection) return no_change;
  const ConstantProduct& product = projection->product;
  LstmCellKernel kernel{.hidden = *lstm.match().width(step->c), .isa = target.isa};
  kernel.state_size = product.right->shape()[product.op.transpose_b ? 1 : 0];
  for (std::size_t i = 0; i < step->gates.size(); ++i)
    kernel.places[i] = step->gates[i].part.begin / kernel.hidden;
  kernel.input = step->gates[0].function;
  kernel.output = step->gates[1].function;
  kernel.forget = step->gates[2].function;
  kernel.candidate = step->gates[3].function;
  kernel.squash = step->squash;
  Patch patch(node);
  OutletIds inputs{product.left,
                   patch.constant("packed", pack_right(product.op, *product.right, target.isa)),
                   step->c};
  for (std::size_t i = 0; i < step->gates.size(); ++i) {
    if (step->gates[i].peephole.is_absent()) continue;
    kernel.peepholes.push_back(static_cast<std::int64_t>(i));
    inputs.push_back(step->gates[i].peephole);
  }
  if (const auto row = wire_sum(patch, "bias", projection->rows)) inputs.push_back(*row);
  if (const auto whole = wire_sum(patch, "added", projection->whole)) inputs.push_back(*whole);
  const OutletIds next = patch.wire("", kernel, inputs);
  patch.shunt(node.output(), next[0]);
  patch.shunt(step->next_c, next[1]);
  return patch;
}

}  // namespace strata
