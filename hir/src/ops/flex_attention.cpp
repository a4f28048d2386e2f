#include "strata/hir/ops/flex_attention.h"

#include "inline_model.h"
#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/softmax.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

constexpr std::size_t kOperands = 3;  // Q, K, V

/// `x` as the body gives it back.
OutletId modified(Builder& b, const std::optional<InferenceBody>& body, OutletId x,
                  const OutletIds& in, std::string_view which) {
  if (!body) return x;
  OutletIds wires{x};
  wires.insert(wires.end(), in.begin() + kOperands, in.end());
  std::vector<Fact> facts;
  OutletIds passed;  // constants become those of the body
  for (const OutletId wire : wires) {
    facts.push_back(b.fact(wire));
    if (!facts.back().constant()) passed.push_back(wire);
  }
  try {
    const TypedModel model = expand_body(**body, facts, b.target().symbol_scope());
    check(!model.outputs().empty(), "it gives nothing");
    const OutletId out = inline_model(b, model, passed, which)[0];
    check(b.fact(out).is_tensor() && b.fact(out).dtype == facts[0].dtype, "it takes ",
          facts[0].without_value(), " and gives ", b.fact(out).without_value());
    return out;
  } catch (Error& error) {
    throw error.in(std::string(which));
  }
}

}  // namespace

void FlexAttention::rules(Rules& r) const {
  const auto q = r.input(0, "Q"), k = r.input(1, "K"), v = r.input(2, "V"), y = r.output(0, "Y");
  for (const auto& operand : {k, v, y}) {
    r.require(operand.dtype == q.dtype);
    r.require(operand.rank == 4);
  }
  r.require(q.rank == 4);
  r.require(k.shape[3] == q.shape[3]);
  r.require(v.shape[1] == k.shape[1]);
  r.require(v.shape[2] == k.shape[2]);
  for (const std::int64_t axis : {0, 1, 2}) r.require(y.shape[axis] == q.shape[axis]);
  r.require(y.shape[3] == v.shape[3]);
}

OutletIds FlexAttention::wire(Builder& b, const OutletIds& in) const {
  for (std::size_t i = 0; i < kOperands; ++i) {
    const std::size_t rank = required_rank(b, in[i], std::string_view("QKV").substr(i, 1));
    check(rank == 4, "an operand of shape ", b.fact(in[i]).shape, " has ", rank,
          " axes, it must have 4");
  }
  const DatumType type = b.fact(in[0]).dtype;
  const DatumType computed =
      softmax_type.value_or(type == DatumType::f64 ? DatumType::f64 : DatumType::f32);
  const OutletId scores =
      grouped_product(b, scaled_query(b, in[0], scale), in[1], RightSide::transposed);
  const OutletId modified_scores =
      modified(b, score_modifier, cast_to(b, scores, computed), in, "score_mod");
  const OutletId probabilities =
      modified(b, probability_modifier, b.one(Softmax{}, {modified_scores}), in, "prob_mod");
  const OutletId y =
      grouped_product(b, probabilities, cast_to(b, in[2], computed), RightSide::as_is);
  return {cast_to(b, y, type)};
}

}  // namespace strata::hir
