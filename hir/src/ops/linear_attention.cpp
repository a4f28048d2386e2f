#include "strata/hir/ops/linear_attention.h"

#include "loop_builder.h"
#include "ops/arithmetic.h"
#include "ops/heads.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

enum Input : std::size_t { kQ, kK, kV, kPast, kDecay, kBeta };

constexpr DatumType kComputed = DatumType::f32;
constexpr std::int64_t kSteps = 1;  // the axis of the steps

/// What the loop scans, in f32, with heads as an axis of their own and vectors as rows.
struct Scanned {
  OutletId q;      ///< [batch, steps, key_heads, heads of Q that share one, key size]
  OutletId k;      ///< [batch, steps, key_heads, 1, key size]
  OutletId v;      ///< [batch, steps, key_heads, 1, value size]
  OutletId decay;  ///< [batch, steps, key_heads, key size or 1, 1]: exp(g), or absent
  OutletId beta;   ///< [batch, steps, key_heads or 1, 1, 1], or absent
};

Scanned scanned_values(Builder& b, const OutletIds& in, const LinearAttention& op) {
  const auto part = [&](std::size_t input, const Shape& target) {
    return split_into(b, cast_to(b, in[input], kComputed), target);
  };
  Scanned out;
  out.q = part(kQ, {0, 0, op.key_heads, op.query_heads / op.key_heads, -1});
  out.q = scaled_query(b, out.q, op.scale);
  out.k = part(kK, {0, 0, op.key_heads, 1, -1});
  out.v = part(kV, {0, 0, op.key_heads, 1, -1});
  out.decay = out.beta = kAbsent;
  if (has(in, kDecay))
    out.decay = unary(b, UnaryOp::exp, part(kDecay, {0, 0, op.key_heads, -1, 1}));
  if (has(in, kBeta)) out.beta = part(kBeta, {0, 0, -1, 1, 1});
  return out;
}

/// [batch, key_heads, key size, value size] of zeros, or as it was before.
OutletId initial_state(Builder& b, const OutletIds& in, const Scanned& values) {
  if (has(in, kPast)) return cast_to(b, in[kPast], kComputed);
  const OutletId shape =
      b.one(strata::Concat{0}, {size_of_axis(b, values.k, 0), size_of_axis(b, values.k, 2),
                                size_of_axis(b, values.k, 4), size_of_axis(b, values.v, 4)});
  return b.one(Expand{}, {b.scalar(0, kComputed), shape});
}

/// States are [batch, key_heads, key size, value size].
void state_rules(Rules& r, const LinearAttention& op) {
  if (r.output_count() < 2) return;
  const auto state = r.output(1, "present_state");
  r.require(state.rank == 4);
  r.require(state.shape[0] == r.input(kQ, "query").shape[0]);
  r.require(state.shape[1] == Dim(op.key_heads));
  require_multiple(r, r.input(kK, "key").shape[2], op.key_heads, state.shape[2]);
  require_multiple(r, r.input(kQ, "query").shape[2], op.query_heads, state.shape[2]);
  require_multiple(r, r.input(kV, "value").shape[2], op.key_heads, state.shape[3]);
  require_multiple(r, r.output(0, "output").shape[2], op.query_heads, state.shape[3]);
  if (!r.has_input(kPast)) return;
  r.require(state.dtype == r.input(kPast, "past_state").dtype);
  r.require(state.shape == r.input(kPast, "past_state").shape);
}

}  // namespace

void LinearAttention::rules(Rules& r) const {
  const auto q = r.input(kQ, "query"), y = r.output(0, "output");
  for (const std::size_t input : {kK, kV}) {
    const auto operand = r.input(input, input == kK ? "key" : "value");
    r.require(operand.dtype == q.dtype);
    r.require(operand.rank == 3);
    r.require(operand.shape[0] == q.shape[0]);
    r.require(operand.shape[1] == q.shape[1]);
  }
  r.require(q.rank == 3);
  r.require(y.rank == 3);
  r.require(y.dtype == q.dtype);
  r.require(y.shape[0] == q.shape[0]);
  r.require(y.shape[1] == q.shape[1]);
  state_rules(r, *this);
}

OutletIds LinearAttention::wire(Builder& b, const OutletIds& in) const {
  for (const std::size_t input : {kQ, kK, kV}) {
    const std::size_t rank = required_rank(b, in[input], "an operand");
    check(rank == 3, "an operand of shape ", b.fact(in[input]).shape, " has ", rank,
          " axes, it must have 3");
  }
  const Scanned values = scanned_values(b, in, *this);
  const OutletId initial = initial_state(b, in, values);

  LoopBuilder loop(b);
  Builder& step = loop.body();
  const auto slice = [&](std::string_view what, OutletId whole) {
    return whole.is_absent() ? whole : loop.scanned(what, whole, kSteps, LoopOrder::from_front);
  };
  OutletId state = loop.carried("state", initial, b.fact(initial).without_value());
  const OutletId q = slice("q", values.q), k = slice("k", values.k),
                 decay = slice("decay", values.decay), beta = slice("beta", values.beta);
  OutletId v = slice("v", values.v);
  if (!decay.is_absent()) state = mul(step, state, decay);
  if (!beta.is_absent()) {
    const OutletId error = sub(step, v, step.one(strata::MatMul{}, {k, state}));
    v = mul(step, beta, error);
  }
  state = add(step, state, step.one(strata::MatMul{.transpose_a = true}, {k, v}));
  const OutletId read =
      step.one(Unsqueeze{}, {step.one(strata::MatMul{}, {q, state}), step.integers({kSteps})});
  const OutletIds results = loop.wire({state}, {{read, kSteps, LoopOrder::from_front}});

  const DatumType type = b.fact(in[kQ]).dtype;
  return {cast_to(b, split_into(b, results[1], {0, 0, -1}), type),
          cast_to(b, results[0], has(in, kPast) ? b.fact(in[kPast]).dtype : type)};
}

}  // namespace strata::hir
