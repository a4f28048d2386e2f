#include "strata/hir/ops/attention.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// A query of 0 gives all keys it sees the same weight, whatever they are.
const Value kQuery = floats({1, 1, 1, 1}, {0});
const Value kKeys = floats({1, 1, 2, 1}, {5, 7});
const Value kValues = floats({1, 1, 2, 1}, {2, 4});
const Value kNone = floats({1, 1, 1, 2}, {0, 0});
const Value kHalves = floats({1, 1, 1, 2}, {0.5, 0.5});

}  // namespace

TEST_SUITE("hir Attention") {
  TEST_CASE("equal products average the values") {
    check_inference_op(Attention{}, {kQuery, kKeys, kValues},
                       {floats({1, 1, 1, 1}, {3}), kKeys, kValues, kNone});
  }

  TEST_CASE("products are scaled and capped before the softmax") {
    // 2 * 3 * 0.5 = 3, far below the cap
    Attention op;
    op.scale = 0.5;
    check_inference_op(
        op, {floats({1, 1, 1, 1}, {2}), floats({1, 1, 1, 1}, {3}), floats({1, 1, 1, 1}, {8})},
        {floats({1, 1, 1, 1}, {8}), floats({1, 1, 1, 1}, {3}), floats({1, 1, 1, 1}, {8}),
         floats({1, 1, 1, 1}, {3})});
  }

  TEST_CASE("heads of the query share heads of the keys in order") {
    check_inference_op(Attention{},
                       {floats({1, 4, 1, 1}, {0, 0, 0, 0}), floats({1, 2, 1, 1}, {1, 1}),
                        floats({1, 2, 1, 1}, {3, 9})},
                       {floats({1, 4, 1, 1}, {3, 3, 9, 9}), floats({1, 2, 1, 1}, {1, 1}),
                        floats({1, 2, 1, 1}, {3, 9}), floats({1, 4, 1, 1}, {0, 0, 0, 0})});
  }

  TEST_CASE("three axes hold the heads in the last") {
    Attention op;
    op.query_heads = op.key_heads = 2;
    check_inference_op(op,
                       {floats({1, 1, 2}, {0, 0}), floats({1, 2, 2}, {1, 1, 1, 1}),
                        floats({1, 2, 2}, {2, 10, 4, 30})},
                       {floats({1, 1, 2}, {3, 20}), floats({1, 2, 2, 1}, {1, 1, 1, 1}),
                        floats({1, 2, 2, 1}, {2, 4, 10, 30}), floats({1, 2, 1, 2}, {0, 0, 0, 0})});
  }

  TEST_CASE("a causal query sees no later key") {
    Attention op;
    op.right_window = 0;
    op.scores = AttentionScores::probabilities;
    check_inference_op(
        op, {floats({1, 1, 2, 1}, {0, 0}), kKeys, kValues},
        {floats({1, 1, 2, 1}, {2, 3}), kKeys, kValues, floats({1, 1, 2, 2}, {1, 0, 0.5, 0.5})});
  }

  TEST_CASE("earlier steps come before and move the queries") {
    Attention op;
    op.right_window = 0;
    op.scores = AttentionScores::probabilities;
    const Value key = floats({1, 1, 1, 1}, {7}), value = floats({1, 1, 1, 1}, {4});
    const Value past_key = floats({1, 1, 1, 1}, {5}), past_value = floats({1, 1, 1, 1}, {2});
    check_inference_op(op, {kQuery, key, value, std::nullopt, past_key, past_value},
                       {floats({1, 1, 1, 1}, {3}), kKeys, kValues, kHalves});
  }

  TEST_CASE("keys past the valid ones are hidden") {
    Attention op;
    op.scores = AttentionScores::probabilities;
    check_inference_op(op,
                       {kQuery, kKeys, kValues, std::nullopt, std::nullopt, std::nullopt,
                        Value(Tensor::of<std::int64_t>({1}, {1}))},
                       {floats({1, 1, 1, 1}, {2}), kKeys, kValues, floats({1, 1, 1, 2}, {1, 0})});
  }

  TEST_CASE("a query that sees no key gives zeros") {
    Attention op;
    op.scores = AttentionScores::probabilities;
    check_inference_op(op,
                       {kQuery, kKeys, kValues, Value(Tensor::of<bool>({1, 2}, {false, false}))},
                       {floats({1, 1, 1, 1}, {0}), kKeys, kValues, kNone});
  }

  TEST_CASE("a short mask hides the keys it does not reach") {
    Attention op;
    op.scores = AttentionScores::probabilities;
    const Value mask = Tensor::of<bool>({1, 1}, {true});
    check_inference_op(op, {kQuery, kKeys, kValues, mask},
                       {floats({1, 1, 1, 1}, {2}), kKeys, kValues, floats({1, 1, 1, 2}, {1, 0})});
    op.short_mask = ShortMask::stretches;
    check_inference_op(op, {kQuery, kKeys, kValues, mask},
                       {floats({1, 1, 1, 1}, {3}), kKeys, kValues, kHalves});
  }

  TEST_CASE("half floats are computed in f32, in which their products are finite") {
    Attention op;
    op.scores = AttentionScores::probabilities;
    const auto halves = [](Shape shape, std::initializer_list<float> values) -> Value {
      return cast(Tensor::of<float>(std::move(shape), values), DatumType::f16);
    };
    // 300 * 300 and 300 * 299 are beyond f16, and e^300 apart.
    const Value keys = halves({1, 1, 2, 1}, {300, 299}), values = halves({1, 1, 2, 1}, {2, 4});
    check_inference_op(op, {halves({1, 1, 1, 1}, {300}), keys, values},
                       {halves({1, 1, 1, 1}, {2}), keys, values, halves({1, 1, 1, 2}, {1, 0})});
  }

  TEST_CASE("three axes without a number of heads are refused") {
    const Value x = floats({1, 1, 2}, {0, 0});
    Attention op;
    op.query_heads = 2;
    CHECK_THROWS_WITH_AS(check_inference_op(op, {x, x, x}, {Value(), Value(), Value(), Value()}),
                         doctest::Contains("K has 3 axes, but no number of heads is given"), Error);
  }

  TEST_CASE("heads of queries that are no multiple of those of keys are refused as such") {
    const Value queries = floats({1, 4, 1, 1}, {0, 0, 0, 0}),
                keys = floats({1, 3, 1, 1}, {1, 1, 1});
    CHECK_THROWS_WITH_AS(
        check_inference_op(Attention{}, {queries, keys, keys},
                           {Value(), Value(), Value(), Value()}),
        doctest::Contains("4 heads of queries are no multiple of 3 of keys and values"), Error);
  }

  TEST_CASE("earlier keys without earlier values are refused") {
    CHECK_THROWS_WITH_AS(
        check_inference_op(Attention{}, {kQuery, kKeys, kValues, std::nullopt, kKeys},
                           {Value(), Value(), Value(), Value()}),
        doctest::Contains("come only together"), Error);
  }
}
