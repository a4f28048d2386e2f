#include <cmath>
#include <limits>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unary.h"

// Fragments of tract's registry of transformers.

namespace strata::opl {
namespace {

/// x * cos + turned * sin, where `turned` is the second half of the last axis negated, then the
/// first.
OutletIds read_apply_rope(Invocation& call) {
  const OutletId x = call.wire("input");
  if (call.rank(x) == 0 || call.fact(x).shape.dims().back().constant().value_or(0) % 2 != 0)
    call.fail("there is no last axis, or it has no half");
  const OutletIds halves = call.steps("halves", Split{-1, 2}, {x});
  const OutletId negated = call.step("negated", UnaryOp::neg, halves[1]);
  const OutletId turned = call.step("turned", Concat{-1}, {negated, halves[0]});
  const OutletId straight = call.step("straight", BinaryOp::mul, x, call.wire("cos"));
  const OutletId across = call.step("across", BinaryOp::mul, turned, call.wire("sin"));
  return call.make(BinaryOp::add, straight, across);
}

OutletId scaled(Invocation& call, OutletId scores, OutletId scale) {
  return call.step("scaled", BinaryOp::mul, scores, scale);
}

/// Probabilities along the last axis; what a mask of bools leaves out has none, numbers are added.
OutletIds read_scaled_masked_softmax(Invocation& call) {
  const OutletId scores = call.wire("input"), mask = call.wire("mask");
  const DatumType type = call.fact(scores).dtype;
  const OutletId above = scaled(call, scores, call.wire("scale", type));
  const bool masks_again = call.logical("post_softmax_mask", false);
  const bool is_truth = call.fact(mask).dtype == DatumType::boolean;
  if (masks_again && !is_truth) call.fail("post_softmax_mask takes a mask of bools");
  const auto chosen = [&](std::string_view hint, OutletId wire, double otherwise) {
    return call.step(hint, Select{},
                     {mask, wire, call.number_constant("left_out", type, otherwise)});
  };
  const OutletId masked = is_truth
                              ? chosen("masked", above, -std::numeric_limits<double>::infinity())
                              : call.step("masked", BinaryOp::add, above, mask);
  const OutletId probabilities =
      call.step("probabilities", Softmax{SoftmaxKind::softmax, {-1}}, {masked});
  return call.as_result(masks_again ? chosen("masked_again", probabilities, 0) : probabilities);
}

/// softmax(scale * Q K^T + mask) V, computed in `acc_datum_type`, for Q, K and V of [batch, steps,
/// size] or [batch, heads, steps, size]; several heads of Q may share one of K and V.
class Attention {
 public:
  explicit Attention(Invocation& call)
      : call_(call),
        type_(call.datum_type("acc_datum_type")),
        q_(call.wire("q")),
        k_(widened(call.wire("k"))),
        v_(widened(call.wire("v"))),
        given_(call.fact(q_).dtype) {
    q_ = widened(q_);
  }

  OutletIds read() {
    const std::size_t rank = call_.rank(q_);
    if ((rank != 3 && rank != 4) || call_.rank(k_) != rank || call_.rank(v_) != rank)
      call_.fail("q, k and v must have 3 axes each, or 4");
    steps_ = call_.fact(q_).shape[rank - 2];
    past_and_steps_ = call_.fact(k_).shape[rank - 2];
    const Dim size = call_.fact(k_).shape[rank - 1];
    if (rank == 4) group_heads();
    const OutletId scores = call_.step("scores", MatMul{.transpose_b = true}, {q_, k_});
    OutletId masked = scaled(call_, scores, scale(size));
    if (const auto mask = this->mask()) masked = call_.step("masked", BinaryOp::add, masked, *mask);
    const OutletId probabilities =
        call_.step("probabilities", Softmax{SoftmaxKind::softmax, {-1}}, {masked});
    return finish(call_.step("attended", MatMul{}, {probabilities, v_}));
  }

 private:
  OutletId widened(OutletId wire) { return as_type(call_, "wide", wire, type_); }

  std::int64_t known(const Dim& size) {
    if (const auto value = size.constant()) return *value;
    call_.unsupported(cat("attention of ", size, " heads, or keys of such a size"));
  }

  /// Gives heads of Q that share one of K and V an axis of their own.
  void group_heads() {
    const std::int64_t heads = known(call_.fact(q_).shape[1]);
    const std::int64_t shared = known(call_.fact(k_).shape[1]);
    if (shared < 1 || heads % shared != 0)
      call_.fail(cat(heads, " heads of q do not share ", shared, " of k and v evenly"));
    if (heads == shared) return;
    ungrouped_ = call_.fact(q_).shape.dims();
    ungrouped_.back() = call_.fact(v_).shape.dims().back();
    heads_ = {shared, heads / shared};
    q_ = grouped(q_);
    k_ = unsqueeze(call_, "shared", k_, {2});
    v_ = unsqueeze(call_, "shared", v_, {2});
  }

  /// [batch, heads, ..] as [batch, shared, heads / shared, ..]
  OutletId grouped(OutletId wire) {
    std::vector<Dim> dims = call_.fact(wire).shape.dims();
    dims[1] = heads_[1];
    dims.insert(dims.begin() + 1, Dim(heads_[0]));
    return reshaped("grouped", wire, dims);
  }

  OutletId reshaped(std::string_view hint, OutletId wire, const std::vector<Dim>& dims) {
    return call_.step(hint, Reshape{ReshapeZero::keep}, {wire, call_.size_vector("sizes", dims)});
  }

  OutletId scale(const Dim& size) {
    if (call_.given("scale")) return call_.wire("scale", type_);
    return call_.number_constant("scale", type_, 1 / std::sqrt(static_cast<double>(known(size))));
  }

  std::optional<OutletId> mask() {
    const bool is_causal = call_.logical("is_causal", false);
    if (!call_.has_tensor("mask")) return is_causal ? std::optional(causal_mask()) : std::nullopt;
    if (is_causal) call_.fail("attention that is causal takes no mask");
    OutletId mask = call_.wire("mask");
    if (call_.fact(mask).dtype == DatumType::boolean)
      call_.unsupported("a mask of bools, which tract adds as numbers");
    mask = widened(mask);
    const std::size_t rank = call_.rank(mask);
    if (heads_.empty() || rank < 3) return mask;
    if (rank == 3) mask = unsqueeze(call_, "batch", mask, {0});
    const bool is_for_all = call_.fact(mask).shape[1] == Dim(1);
    return is_for_all ? unsqueeze(call_, "shared", mask, {2}) : grouped(mask);
  }

  /// The least number where a step would look at later ones, of [steps, past and steps]; 0
  /// elsewhere.
  OutletId causal_mask() {
    const double number = type_ == DatumType::f16 ? -65504.0 : std::numeric_limits<float>::lowest();
    const OutletId least = call_.number_constant("least", type_, number);
    const OutletId all =
        call_.step("all", Expand{}, {least, call_.size_vector("sizes", {steps_, past_and_steps_})});
    const OutletId first = call_.size_vector("first", {past_and_steps_ - steps_ + 1});
    return call_.step("later", Trilu{Triangle::upper}, {all, first});
  }

  OutletIds finish(OutletId attended) {
    if (!heads_.empty()) attended = reshaped("ungrouped", attended, ungrouped_);
    return call_.make(Cast{given_}, {attended});
  }

  Invocation& call_;
  DatumType type_;
  OutletId q_, k_, v_;
  DatumType given_;
  Dim steps_, past_and_steps_;
  Shape heads_;                 ///< of K and V, and of Q for each; empty where they are as many
  std::vector<Dim> ungrouped_;  ///< the sizes of what comes out
};

OutletIds read_sdpa(Invocation& call) { return Attention(call).read(); }

}  // namespace

void register_attention(Readers& readers) {
  readers.add("tract_transformers_apply_rope", "input, cos, sin", read_apply_rope);
  readers.add("tract_transformers_scaled_masked_softmax", "input, mask, scale, post_softmax_mask",
              read_scaled_masked_softmax);
  readers.add("tract_transformers_sdpa",
              "q, k, v, mask, scale, datum_type, acc_datum_type, is_causal", read_sdpa);
}

}  // namespace strata::opl
