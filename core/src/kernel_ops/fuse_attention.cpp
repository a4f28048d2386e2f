#include <cmath>
#include <limits>
#include <numeric>

#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/cell_match.h"
#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/transposition.h"
#include "strata/core/only_number.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// What an attention is made of, found from its end.
struct Parts {
  AttentionKernel op;
  OutletId q, k, v;
  OutletId mask = kAbsent;
};

/// Looks backward from a product of weights and values. Wires between are read once.
class AttentionMatch {
 public:
  explicit AttentionMatch(const NodeView& node)
      : node_(node), model_(node.model), cells_(node.model) {}

  std::optional<Parts> find() {
    const MatMul* product = node_.op().as<MatMul>();
    if (!product || product->transpose_a || !takes(node_.input(1))) return std::nullopt;
    parts_.v = node_.input(1);
    parts_.op.perm_v = turned(parts_.v, product->transpose_b);
    OutletId weights = node_.input(0);
    const auto shown = behind_hidden(weights);
    if (shown) weights = shown->weights;
    const auto scores = behind_softmax(weights);
    if (!scores || !(find_masked(*scores) || find_capped(*scores))) return std::nullopt;
    if (shown && shown->mask != parts_.mask) return std::nullopt;
    parts_.op.hidden_as_zero = shown.has_value();
    return parts_;
  }

 private:
  struct Shown {
    OutletId weights, mask;
  };
  struct Scaled {
    OutletId wire;
    float factor;
  };

  const TypedNode& maker(OutletId wire) const { return model_.node(wire.node); }
  const ShapeFact& shape(OutletId wire) const { return model_.fact(wire).shape; }
  bool takes(OutletId wire) const {
    return is_matrices(model_.fact(wire)) && !model_.fact(wire).constant();
  }

  /// The axes of an operand, of which the last two may be swapped.
  Perm turned(OutletId wire, bool is_turned) const {
    if (!is_turned) return {};
    Perm perm(shape(wire).rank());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 2], perm.back());
    return perm;
  }

  std::optional<float> number(OutletId wire) const { return number_in(model_.fact(wire)); }

  /// `wire` as a number times another of the same shape.
  std::optional<Scaled> scaled(OutletId wire) const {
    for (const BinaryOp op : {BinaryOp::mul, BinaryOp::div}) {
      const auto operands = cells_.inner_binary(op, wire);
      if (!operands) continue;
      for (const auto& [x, by] : both_orders(*operands)) {
        const auto factor = number(by);
        if (factor && shape(x) == shape(wire))
          return Scaled{x, op == BinaryOp::mul ? *factor : 1 / *factor};
        if (op == BinaryOp::div) break;
      }
    }
    return std::nullopt;
  }

  /// Weights that are made 0 where the greatest number of the mask's row is -inf.
  std::optional<Shown> behind_hidden(OutletId wire) const {
    if (!maker(wire).op.as<Select>() || !cells_.is_inner(wire)) return std::nullopt;
    const OutletIds& in = maker(wire).inputs;
    const Binary* is_hidden = maker(in[0]).op.as<Binary>();
    if (!is_hidden || is_hidden->op != BinaryOp::equal || number(in[1]) != 0.0F ||
        shape(in[2]) != shape(wire))
      return std::nullopt;
    const OutletId highest = maker(in[0]).inputs[0];
    if (number(maker(in[0]).inputs[1]) != -std::numeric_limits<float>::infinity())
      return std::nullopt;
    const Reduce* reduce = maker(highest).op.as<Reduce>();
    if (!reduce || reduce->op != Reduction::max || !reduce->keep_dims ||
        maker(highest).inputs.size() != 2)
      return std::nullopt;
    if (only_integer(model_.fact(maker(highest).inputs[1])) != -1) return std::nullopt;
    return Shown{in[2], maker(highest).inputs[0]};
  }

  /// What a Softmax over the last axis is of.
  std::optional<OutletId> behind_softmax(OutletId wire) const {
    const Softmax* softmax = maker(wire).op.as<Softmax>();
    if (!softmax || softmax->op != SoftmaxKind::softmax || !cells_.is_inner(wire) ||
        shape(wire).is_open() || shape(wire).rank() < 2 || softmax->axes.size() != 1 ||
        normalized_axis(softmax->axes[0], shape(wire).rank()) + 1 != shape(wire).rank())
      return std::nullopt;
    return maker(wire).inputs[0];
  }

  bool find_masked(OutletId scores) {
    const auto operands = cells_.inner_binary(BinaryOp::add, scores);
    if (!operands) return false;
    for (const auto& [products, mask] : both_orders(*operands)) {
      const Fact& fact = model_.fact(mask);
      if (!is_f32(fact) || fact.shape.is_open() || shape(products).is_open() ||
          fact.shape.rank() > shape(products).rank() || !find_capped(products))
        continue;
      parts_.mask = mask;
      return true;
    }
    return false;
  }

  /// cap * tanh(x / cap), or x.
  bool find_capped(OutletId wire) {
    const auto outer = scaled(wire);
    if (!outer) return find_products(wire, 1);
    const Unary* tanh = maker(outer->wire).op.as<Unary>();
    if (!tanh || tanh->op != UnaryOp::tanh || !cells_.is_inner(outer->wire))
      return find_products(wire, 1);
    const auto inner = scaled(maker(outer->wire).inputs[0]);
    if (!inner || !(std::fabs(inner->factor * outer->factor - 1) <= 1e-6F)) return false;
    if (!find_products(inner->wire, 1)) return false;  // the other operand may be without a cap
    parts_.op.cap = outer->factor;
    return true;
  }

  /// factor * q k^T, where factors may stand anywhere.
  bool find_products(OutletId wire, float factor) {
    if (const auto by = scaled(wire)) return find_products(by->wire, by->factor * factor);
    const MatMul* product = maker(wire).op.as<MatMul>();
    if (!product || !cells_.is_inner(wire)) return false;
    parts_.q = maker(wire).inputs[0];
    parts_.k = maker(wire).inputs[1];
    if (!takes(parts_.q) || !takes(parts_.k)) return false;
    parts_.op.perm_q = turned(parts_.q, product->transpose_a);
    parts_.op.perm_k = turned(parts_.k, !product->transpose_b);
    for (OutletId* operand : {&parts_.q, &parts_.k})
      while (const auto by = scaled(*operand)) {
        *operand = by->wire;
        factor *= by->factor;
      }
    parts_.op.scale = factor;
    return std::isnormal(factor);  // of several factors, which one by one might lead elsewhere
  }

  NodeView node_;
  const TypedModel& model_;
  CellMatch cells_;
  Parts parts_;
};

}  // namespace

/// MatMul(Softmax(cap(scale * MatMul(q, k^T)) + mask), v) -> AttentionKernel(q, k, v, mask)
Rewrite fuse_attention(const NodeView& node, const Target& target) {
  auto found = AttentionMatch(node).find();
  if (!found) return no_change;
  found->op.isa = target.isa;
  OutletIds inputs{found->q, found->k, found->v};
  if (!found->mask.is_absent()) inputs.push_back(found->mask);
  return replace(node, found->op, inputs);
}

}  // namespace strata
