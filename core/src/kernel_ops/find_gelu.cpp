#include <array>
#include <cmath>

#include "kernel_ops/cell_match.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// Coefficients of 1, x, x^2 and x^3.
using Cubic = std::array<double, 4>;

std::optional<Cubic> product_of(const Cubic& a, const Cubic& b) {
  Cubic out{};
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= out.size()) return std::nullopt;
      out[i + j] += a[i] * b[j];
    }
  return out;
}

bool is_about(double a, double b) { return std::fabs(a - b) <= 1e-5 * std::fabs(b); }

/// Looks backward from the last product of a gelu.
class GeluMatch {
 public:
  GeluMatch(const TypedModel& model, OutletId root) : model_(model), root_(root), cells_(model) {}

  /// The root as a gelu of another wire.
  std::optional<std::pair<UnaryOp, OutletId>> find() {
    if (!operands(BinaryOp::mul, root_) && !operands(BinaryOp::div, root_)) return std::nullopt;
    if (!collect(root_) || factors_.size() != 2 || !is_about(number_, 0.5)) return std::nullopt;
    for (const std::size_t i : {0, 1})
      if (const auto op = gate(factors_[i], factors_[1 - i]))
        return std::pair{*op, factors_[1 - i]};
    return std::nullopt;
  }

 private:
  std::optional<double> number(OutletId wire) const {
    const Tensor* value = cells_.fact(wire).constant();
    if (!value || value->dtype() != DatumType::f32 || value->size() != 1) return std::nullopt;
    return static_cast<double>(value->as<float>()[0]);
  }

  /// The operands of a binary op that makes a wire, which only the root shares with others.
  std::optional<Operands> operands(BinaryOp op, OutletId wire) const {
    return wire == root_ ? cells_.binary(op, wire) : cells_.inner_binary(op, wire);
  }

  /// Splits a product into numbers and other factors.
  bool collect(OutletId wire) {
    if (const auto own = number(wire)) {
      number_ *= *own;
      return true;
    }
    if (const auto mul = operands(BinaryOp::mul, wire))
      return collect((*mul)[0]) && collect((*mul)[1]);
    const auto div = operands(BinaryOp::div, wire);
    if (const auto by = div ? number((*div)[1]) : std::nullopt) {
      number_ /= *by;
      return collect((*div)[0]);
    }
    factors_.push_back(wire);
    return factors_.size() <= 2;
  }

  /// `wire` as the 1 + erf(x / sqrt 2) or the 1 + tanh(..) of a gelu of x.
  std::optional<UnaryOp> gate(OutletId wire, OutletId x) const {
    const auto sum = cells_.inner_binary(BinaryOp::add, wire);
    if (!sum) return std::nullopt;
    for (const auto& [curve, one] : both_orders(*sum)) {
      const Unary* unary = model_.node(curve.node).op.as<Unary>();
      if (!unary || !cells_.is_one(one) || !cells_.is_inner(curve)) continue;
      const auto inside = cubic(model_.node(curve.node).inputs[0], x, kDeepest);
      if (!inside || (*inside)[0] != 0 || (*inside)[2] != 0) continue;
      const double root_half = std::sqrt(0.5), slope = std::sqrt(8 / std::acos(-1.0)) / 2;
      if (unary->op == UnaryOp::erf && (*inside)[3] == 0 && is_about((*inside)[1], root_half))
        return UnaryOp::gelu;
      if (unary->op == UnaryOp::tanh && is_about((*inside)[1], slope) &&
          is_about((*inside)[3], slope * 0.044715))
        return UnaryOp::gelu_tanh;
    }
    return std::nullopt;
  }

  /// `wire` as a polynomial in x, through at most `depth` functions.
  std::optional<Cubic> cubic(OutletId wire, OutletId x, int depth) const {
    if (wire == x) return Cubic{0, 1, 0, 0};
    if (const auto own = number(wire)) return Cubic{*own, 0, 0, 0};
    const TypedNode& node = model_.node(wire.node);
    const Binary* binary = node.op.as<Binary>();
    const Unary* unary = node.op.as<Unary>();
    if (depth == 0 || !(binary || unary)) return std::nullopt;
    const auto a = cubic(node.inputs[0], x, depth - 1);
    if (!a) return std::nullopt;
    if (unary) return unary->op == UnaryOp::square ? product_of(*a, *a) : std::nullopt;
    const auto b = cubic(node.inputs[1], x, depth - 1);
    return b ? joined(binary->op, *a, *b) : std::nullopt;
  }

  static std::optional<Cubic> joined(BinaryOp op, const Cubic& a, const Cubic& b) {
    if (op == BinaryOp::mul) return product_of(a, b);
    if (op == BinaryOp::add) {
      Cubic sum = a;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
      return sum;
    }
    if (b[1] != 0 || b[2] != 0 || b[3] != 0) return std::nullopt;
    if (op == BinaryOp::div) return product_of(a, {1 / b[0], 0, 0, 0});
    if (op != BinaryOp::pow || (b[0] != 2 && b[0] != 3)) return std::nullopt;
    const auto square = product_of(a, a);
    return b[0] == 3 && square ? product_of(*square, a) : square;
  }

  static constexpr int kDeepest = 8;
  const TypedModel& model_;
  OutletId root_;
  CellMatch cells_;
  double number_ = 1;
  OutletIds factors_;
};

}  // namespace

/// x * 1/2 * (1 + erf(x / sqrt 2)), however written                        ->  Unary gelu(x)
/// x * 1/2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), likewise  ->  Unary gelu_tanh(x)
Rewrite find_gelu(const NodeView& node, const Target&) {
  if (!node.op().as<Binary>() || !is_f32(node.output_fact())) return no_change;
  const auto found = GeluMatch(node.model, node.output()).find();
  if (!found || !surely_equal(node.model.fact(found->second).shape, node.output_fact().shape))
    return no_change;
  return replace(node, Unary{found->first}, {found->second});
}

}  // namespace strata
