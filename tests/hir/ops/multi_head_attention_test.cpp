#include "strata/hir/ops/multi_head_attention.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/hir_case.h"
#include "support/integers.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// A query of 0 gives all keys it sees the same weight, whatever they are.
const Value kQuery = floats({1, 1, 1}, {0}), kQueries = floats({1, 2, 1}, {0, 0});
const Value kKeys = floats({1, 2, 1}, {5, 7}), kValues = floats({1, 2, 1}, {2, 4});
const std::nullopt_t kNone = std::nullopt;

MultiHeadAttention causal() {
  MultiHeadAttention op;
  op.attention.is_causal = true;
  return op;
}

}  // namespace

TEST_SUITE("hir MultiHeadAttention") {
  TEST_CASE("equal products average the values, and all keys and values are shown") {
    check_inference_op(MultiHeadAttention{}, {kQuery, kKeys, kValues},
                       {floats({1, 1, 1}, {3}), floats({1, 1, 2, 1}, {5, 7}),
                        floats({1, 1, 2, 1}, {2, 4}), floats({1, 1, 1, 2}, {0, 0})});
  }

  TEST_CASE("the bias of query, key and value lies in a row") {
    // A query of 0 + 2 with keys 5 - 5 and 7 - 5 has products 0 and 4, to which -4 is added.
    check_inference_op(
        MultiHeadAttention{},
        {kQuery, kKeys, kValues, floats({3}, {2, -5, 10}), kNone, floats({1, 1, 1, 2}, {0, -4})},
        {floats({1, 1, 1}, {13}), floats({1, 1, 2, 1}, {0, 2}), floats({1, 1, 2, 1}, {12, 14}),
         floats({1, 1, 1, 2}, {0, 0})});
  }

  TEST_CASE("a mask adds a number to the products of the keys it hides") {
    // A weight of 1 against 1/3.
    MultiHeadAttention op;
    op.attention.hidden = -std::log(3);
    for (const Tensor& mask :
         {numbers({1, 2}, {1, 0}), numbers({1, 1, 2}, {1, 0}), numbers({1}, {1})})
      check_inference_op(op, {kQuery, kKeys, kValues, kNone, mask}, {floats({1, 1, 1}, {2.5})});
  }

  TEST_CASE("a mask of three axes is of each query") {
    check_inference_op(MultiHeadAttention{},
                       {kQueries, kKeys, kValues, kNone, numbers({1, 2, 2}, {1, 0, 0, 1})},
                       {floats({1, 2, 1}, {2, 4})});
  }

  TEST_CASE("keys and values may have their heads already") {
    check_inference_op(MultiHeadAttention{},
                       {kQuery, floats({1, 1, 2, 1}, {5, 7}), floats({1, 1, 2, 1}, {2, 4})},
                       {floats({1, 1, 1}, {3})});
  }

  TEST_CASE("the query may hold all three, and the key the value") {
    MultiHeadAttention two_heads;
    two_heads.attention.heads = 2;
    check_inference_op(two_heads, {floats({1, 2, 2, 3, 1}, {0, 5, 2, 0, 1, 20, 0, 7, 4, 0, 1, 40})},
                       {floats({1, 2, 2}, {3, 30, 3, 30}), floats({1, 2, 2, 1}, {5, 7, 1, 1})});
    check_inference_op(MultiHeadAttention{}, {kQuery, floats({1, 2, 1, 2, 1}, {5, 2, 7, 4})},
                       {floats({1, 1, 1}, {3}), floats({1, 1, 2, 1}, {5, 7})});
  }

  TEST_CASE("a causal query sees no later key") {
    check_inference_op(causal(), {kQueries, kKeys, kValues}, {floats({1, 2, 1}, {2, 3})});
  }

  TEST_CASE("keys and values of earlier steps come before the new ones") {
    const Value past_keys = floats({1, 1, 1, 1}, {1}), past_values = floats({1, 1, 1, 1}, {8});
    check_inference_op(causal(),
                       {kQueries, kKeys, kValues, kNone, kNone, kNone, past_keys, past_values},
                       {floats({1, 2, 1}, {5, 14.0F / 3}), floats({1, 1, 3, 1}, {1, 5, 7}),
                        floats({1, 1, 3, 1}, {8, 2, 4})});
    check_inference_op(
        MultiHeadAttention{},
        {kQuery, kKeys, kValues, kNone, numbers({1, 3}, {0, 1, 1}), kNone, past_keys, past_values},
        {floats({1, 1, 1}, {3})});
  }

  TEST_CASE("what is missing is named") {
    const auto fails = [](std::vector<std::optional<Value>> inputs, const char* message) {
      CHECK_THROWS_WITH_AS(check_inference_op(MultiHeadAttention{}, inputs, {Value()}),
                           doctest::Contains(message), Error);
    };
    fails({kQuery}, "without a key the query holds all three");
    fails({kQuery, kKeys}, "without a value the key holds both");
    fails({kQuery, kKeys, kValues, kNone, kNone, kNone, floats({1, 1, 1, 1}, {1})},
          "past_key and past_value come only together");
    fails({kQuery, kKeys, kValues, kNone, numbers({1, 1, 1, 2}, {1, 1})},
          "it has none of 1, 2 and 3 axes");
  }
}

TEST_SUITE("hir PackedAttention") {
  const Value kX = floats({1, 2, 1}, {2, 4}), kWeights = floats({1, 3}, {0, 1, 1});
  const Value kPast = floats({2, 1, 1, 1, 1}, {1, 9});

  TEST_CASE("one product gives query, key and value, which are shown in one tensor") {
    check_inference_op(PackedAttention{}, {kX, kWeights, floats({3}, {0, 0, 10})},
                       {floats({1, 2, 1}, {13, 13}), floats({2, 1, 1, 2, 1}, {2, 4, 12, 14})});
  }

  TEST_CASE("earlier steps and a causal mask") {
    PackedAttention op;
    op.attention.is_causal = true;
    check_inference_op(op, {kX, kWeights, kNone, kNone, kPast},
                       {floats({1, 2, 1}, {5.5, 5}), floats({2, 1, 1, 3, 1}, {1, 2, 4, 9, 2, 4})});
  }

  TEST_CASE("a mask of the ends of the keys, and of their beginnings") {
    check_inference_op(PackedAttention{}, {kX, kWeights, kNone, numbers({1}, {1})},
                       {floats({1, 2, 1}, {2, 2})});
    check_inference_op(PackedAttention{}, {kX, kWeights, kNone, numbers({2}, {2, 1})},
                       {floats({1, 2, 1}, {4, 4})});
  }

  TEST_CASE("a mask of one number for all keys hides none") {
    check_inference_op(PackedAttention{}, {kX, kWeights, kNone, numbers({1, 1}, {0})},
                       {floats({1, 2, 1}, {3, 3})});
  }

  TEST_CASE("values of another size than the keys") {
    PackedAttention op;
    op.hidden_sizes = {1, 1, 2};
    check_inference_op(op, {kX, floats({1, 4}, {0, 1, 1, 10})},
                       {floats({1, 2, 2}, {3, 30, 3, 30})});
  }
}

TEST_SUITE("hir QuantizedAttention") {
  TEST_CASE("the attention of what bytes stand for") {
    // x is 2 and 4, the weights 0, 1 and 1.
    const auto bytes = [](Shape shape, std::initializer_list<std::uint8_t> values) -> Value {
      return Tensor::of<std::uint8_t>(std::move(shape), values);
    };
    check_inference_op(QuantizedAttention{},
                       {bytes({1, 2, 1}, {5, 9}), bytes({1, 3}, {1, 5, 5}), floats({3}, {0, 0, 1}),
                        floats({}, {0.5}), floats({}, {0.25}), numbers({1, 2}, {0, 1}),
                        bytes({}, {1}), bytes({}, {1})},
                       {floats({1, 2, 1}, {5, 5}), floats({2, 1, 1, 2, 1}, {2, 4, 3, 5})});
  }
}
