#include <algorithm>
#include <set>

#include "deferred_tensor.h"
#include "kernel_ops/cell_match.h"
#include "kernel_ops/gru_cell_kernel.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/rules.h"

namespace strata {
namespace {

using kernels::GruReset;

enum Gate : std::size_t { kUpdate, kReset, kCandidate, kGates };

/// The wires of one step: a gate is a function of its wire of x and of its term of the state.
struct GruStep {
  OutletId h;
  GruReset reset_kind = GruReset::after_product;
  std::array<KernelFunction, kGates> functions;
  std::array<OutletId, kGates> x;
  std::array<OutletId, kGates> terms;  ///< parts of one sum after_product, else products
};

/// Where gates lie in the rows of one wire.
struct GatePlaces {
  OutletId whole;
  std::vector<std::int64_t> places;
  std::size_t makers = 0;  ///< nodes that cut the gates out
};

class GruMatch {
 public:
  explicit GruMatch(const NodeView& node) : node_(node), match_(node.model) {}

  /// next_h = (1 - update) . candidate + update . h
  std::optional<GruStep> step() const {
    const auto sum = match_.binary(BinaryOp::add, node_.output());
    if (!sum || match_.width(node_.output()).value_or(0) == 0) return std::nullopt;
    for (const auto& [changed, kept] : both_orders(*sum)) {
      const auto change = match_.inner_binary(BinaryOp::mul, changed);
      const auto keep = match_.inner_binary(BinaryOp::mul, kept);
      if (!change || !keep) continue;
      for (const auto& [rest, candidate] : both_orders(*change))
        for (const auto& [update, h] : both_orders(*keep))
          if (is_rest_of(rest, update) && is_row(h))
            if (auto found = with_blend(update, candidate, h)) return found;
    }
    return std::nullopt;
  }

  /// The wire that the gates are the three parts of.
  std::optional<GatePlaces> places(const std::array<OutletId, kGates>& gates) const {
    const std::int64_t hidden = *match_.width(node_.output());
    GatePlaces out;
    std::set<std::uint32_t> makers;
    for (const OutletId gate : gates) {
      const auto part = match_.part(gate);
      if (!part || part->begin % hidden != 0 || (!makers.empty() && part->whole != out.whole))
        return std::nullopt;
      out.whole = part->whole;
      out.places.push_back(part->begin / hidden);
      makers.insert(part->maker);
    }
    out.makers = makers.size();
    const std::set<std::int64_t> distinct(out.places.begin(), out.places.end());
    const bool is_all = match_.width(out.whole) == kGates * hidden;
    return is_all && distinct == std::set<std::int64_t>{0, 1, 2} ? std::optional(out)
                                                                 : std::nullopt;
  }

  const CellMatch& match() const { return match_; }

 private:
  bool is_row(OutletId wire) const {
    return surely_equal(match_.fact(wire).shape, node_.output_fact().shape);
  }

  /// 1 - gate, where the gate has one more reader.
  bool is_rest_of(OutletId rest, OutletId gate) const {
    const auto operands = match_.inner_binary(BinaryOp::sub, rest);
    return operands && match_.is_one((*operands)[0]) && (*operands)[1] == gate &&
           match_.has_readers(gate, 2) && is_row(gate);
  }

  std::optional<GruStep> with_blend(OutletId update, OutletId candidate, OutletId h) const {
    const auto blend = match_.function(update), fresh = match_.inner_function(candidate);
    const auto sum = fresh ? match_.inner_binary(BinaryOp::add, fresh->operand) : std::nullopt;
    if (!blend || !sum) return std::nullopt;
    for (const auto& [x, term] : both_orders(*sum)) {
      if (!is_row(x) || !is_row(term)) continue;
      GruStep step{.h = h};
      step.functions[kCandidate] = fresh->function;
      step.x[kCandidate] = x;
      const auto reset = with_reset(step, term);
      if (reset && set_gate(step, kReset, *reset) && set_gate(step, kUpdate, *blend)) return step;
    }
    return std::nullopt;
  }

  /// The reset gate of a candidate's term: reset . part, or MatMul(reset . h, weights).
  std::optional<AppliedFunction> with_reset(GruStep& step, OutletId term) const {
    const auto product = match_.is_inner(term) ? match_.product(term) : std::nullopt;
    const auto factors = match_.inner_binary(BinaryOp::mul, product ? product->left : term);
    if (!factors) return std::nullopt;
    for (const auto& [gate, other] : both_orders(*factors)) {
      const auto reset = match_.inner_function(gate);
      if (!reset || !is_row(gate)) continue;
      if (product ? other != step.h : !match_.part(other)) continue;
      step.reset_kind = product ? GruReset::before_product : GruReset::after_product;
      step.terms[kCandidate] = product ? term : other;
      return reset;
    }
    return std::nullopt;
  }

  /// f(x + term), the term cut out of what the candidate's is after_product, else a product of h.
  bool set_gate(GruStep& step, Gate gate, const AppliedFunction& applied) const {
    const auto sum = match_.inner_binary(BinaryOp::add, applied.operand);
    if (!sum) return false;
    for (const auto& [x, term] : both_orders(*sum)) {
      if (!is_row(x) || !is_row(term) || !is_term(step, term)) continue;
      step.functions[gate] = applied.function;
      step.x[gate] = x;
      step.terms[gate] = term;
      return true;
    }
    return false;
  }

  bool is_term(const GruStep& step, OutletId term) const {
    if (step.reset_kind == GruReset::after_product) {
      const auto part = match_.part(term);
      return part && part->whole == match_.part(step.terms[kCandidate])->whole;
    }
    const auto product = match_.is_inner(term) ? match_.product(term) : std::nullopt;
    return product && product->left == step.h;
  }

  const NodeView& node_;
  CellMatch match_;
};

/// The right operand of a product, element by element.
struct RightElements {
  bool transposed;
  std::int64_t k, n;
  explicit RightElements(const ConstantProduct& product)
      : transposed(product.op.transpose_b),
        k(product.right->shape()[transposed ? 1 : 0]),
        n(product.right->shape()[transposed ? 0 : 1]) {}
  float at(const float* from, std::int64_t i, std::int64_t j) const {
    return from[transposed ? j * k + i : i * n + j];
  }
};

/// The products of one left operand as one: the right operands side by side. All steps of an
/// unrolled layer share it.
Tensor side_by_side(const ConstantProduct& a, const ConstantProduct& b) {
  const std::array<RightElements, 2> operands{RightElements(a), RightElements(b)};
  const auto fill = [operands](const std::vector<Tensor>& sources, RowRange, std::byte* out) {
    float* to = reinterpret_cast<float*>(out);
    for (std::int64_t i = 0; i < operands[0].k; ++i)
      for (std::size_t s = 0; s < operands.size(); ++s)
        for (std::int64_t j = 0; j < operands[s].n; ++j)
          *to++ = operands[s].at(sources[s].as<float>().data(), i, j);
  };
  return deferred(DatumType::f32, {operands[0].k, operands[0].n + operands[1].n},
                  {.key = cat("beside ", operands[0].transposed, operands[1].transposed),
                   .sources = {*a.right, *b.right},
                   .fill = fill});
}

/// What the rewrites of both kinds of cell share.
class GruPatch {
 public:
  GruPatch(const NodeView& node, const GruMatch& gru, const GruStep& step, Isa isa)
      : node_(node), gru_(gru), step_(step), patch_(node) {
    kernel_.hidden = *gru.match().width(node.output());
    kernel_.reset_kind = step.reset_kind;
    kernel_.update = step.functions[kUpdate];
    kernel_.reset = step.functions[kReset];
    kernel_.candidate = step.functions[kCandidate];
    kernel_.isa = isa;
  }

  Rewrite after() && {
    const auto sums = gru_.places(step_.terms);
    if (!sums || !gru_.match().has_readers(sums->whole, sums->makers)) return no_change;
    const auto projection = gru_.match().projection(sums->whole);
    if (!projection || projection->product.left != step_.h || !projection->whole.empty())
      return no_change;
    kernel_.places = sums->places;
    OutletIds inputs{step_.h, weights("packed", projection->product)};
    const auto x = gru_.places(step_.x);
    add_x(inputs, x && x->places == sums->places ? x : std::nullopt);
    if (const auto bias = wire_sum(patch_, "bias", projection->rows)) inputs.push_back(*bias);
    return finish(inputs);
  }

  Rewrite before() && {
    const Tensor both = side_by_side(product(kUpdate), product(kReset));
    OutletIds inputs{step_.h, weights("packed", {MatMul{}, step_.h, &both}),
                     weights("packed_candidate", product(kCandidate))};
    const auto x = gru_.places(step_.x);
    if (x) kernel_.places = x->places;
    add_x(inputs, x);
    return finish(inputs);
  }

 private:
  ConstantProduct product(Gate gate) const { return *gru_.match().product(step_.terms[gate]); }

  OutletId weights(std::string_view name, const ConstantProduct& product) {
    return patch_.constant(name, pack_right(product.op, *product.right, kernel_.isa));
  }

  /// x whole where its gates lie together, else gate by gate.
  void add_x(OutletIds& inputs, const std::optional<GatePlaces>& together) {
    kernel_.x_wires = together ? 1 : step_.x.size();
    if (together)
      inputs.push_back(behind_views(node_.model, together->whole));
    else
      for (const OutletId gate : step_.x) inputs.push_back(behind_views(node_.model, gate));
  }

  Rewrite finish(const OutletIds& inputs) {
    patch_.shunt(node_.output(), patch_.wire_one("", kernel_, inputs));
    return std::move(patch_);
  }

  const NodeView& node_;
  const GruMatch& gru_;
  const GruStep& step_;
  Patch patch_;
  GruCellKernel kernel_;
};

}  // namespace

/// h' = (1 - z) . f_g(x_g + G) + z . h with z, r = f(x_z + Z), f(x_r + R)  ->  h' =
/// GruCellKernel(h, packed constants, x), for G = r . part of the sum that Z and R are parts of, or
/// G = MatMul(r . h, constant)
Rewrite fuse_gru_cell(const NodeView& node, const Target& target) {
  const GruMatch gru(node);
  const auto step = gru.step();
  if (!step) return no_change;
  GruPatch patch(node, gru, *step, target.isa);
  return step->reset_kind == GruReset::after_product ? std::move(patch).after()
                                                     : std::move(patch).before();
}

}  // namespace strata
