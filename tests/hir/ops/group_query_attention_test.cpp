#include "strata/hir/ops/group_query_attention.h"

#include <doctest/doctest.h>

#include <limits>

#include "support/hir_case.h"
#include "support/integers.h"
#include "support/operands.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

/// Two heads of a query of 0, which give all keys they see the same weight.
const Value kStep = floats({1, 1, 2}, {0, 0}), kSteps = floats({1, 2, 2}, {0, 0, 0, 0});
const std::nullopt_t kNone = std::nullopt;

GroupQueryAttention two_heads() {
  GroupQueryAttention op;
  op.heads = 2;
  return op;
}

}  // namespace

TEST_SUITE("hir GroupQueryAttention") {
  const Value kKeys = floats({1, 2, 1}, {5, 7}), kValues = floats({1, 2, 1}, {2, 4});
  const Value kKey = floats({1, 1, 1}, {6}), kValue = floats({1, 1, 1}, {8});
  const Value kPastKeys = floats({1, 1, 3, 1}, {5, 7, 9}),
              kPastValues = floats({1, 1, 3, 1}, {2, 4, 6});

  TEST_CASE("a prompt sees no later key") {
    check_inference_op(two_heads(),
                       {kSteps, kKeys, kValues, kNone, kNone, numbers({1}, {1}), numbers({}, {2})},
                       {floats({1, 2, 2}, {2, 2, 3, 3}), floats({1, 1, 2, 1}, {5, 7}),
                        floats({1, 1, 2, 1}, {2, 4})});
  }

  TEST_CASE("the query may go on with key and value") {
    check_inference_op(two_heads(),
                       {floats({1, 2, 4}, {0, 0, 5, 2, 0, 0, 7, 4}), kNone, kNone, kNone, kNone,
                        numbers({1}, {1}), numbers({1}, {2})},
                       {floats({1, 2, 2}, {2, 2, 3, 3}), floats({1, 1, 2, 1}, {5, 7}),
                        floats({1, 1, 2, 1}, {2, 4})});
  }

  TEST_CASE("a step is written behind the earlier ones, and zeros behind it") {
    check_inference_op(
        two_heads(),
        {kStep, kKey, kValue, kPastKeys, kPastValues, numbers({1}, {1}), numbers({}, {2})},
        {floats({1, 1, 2}, {5, 5}), floats({1, 1, 3, 1}, {5, 6, 0}),
         floats({1, 1, 3, 1}, {2, 8, 0})});
  }

  TEST_CASE("a full cache grows") {
    check_inference_op(
        two_heads(),
        {kStep, kKey, kValue, kPastKeys, kPastValues, numbers({1}, {3}), numbers({}, {4})},
        {floats({1, 1, 2}, {5, 5}), floats({1, 1, 4, 1}, {5, 7, 9, 6}),
         floats({1, 1, 4, 1}, {2, 4, 6, 8})});
  }

  TEST_CASE("each batch element has its own number of keys") {
    GroupQueryAttention op;
    check_inference_op(op,
                       {floats({2, 1, 1}, {0, 0}), floats({2, 1, 1}, {6, 6}),
                        floats({2, 1, 1}, {8, 8}), floats({2, 1, 2, 1}, {5, 7, 5, 7}),
                        floats({2, 1, 2, 1}, {2, 5, 2, 5}), numbers({2}, {2, 1}), numbers({}, {3})},
                       {floats({2, 1, 1}, {5, 5}), floats({2, 1, 3, 1}, {5, 7, 6, 5, 6, 0}),
                        floats({2, 1, 3, 1}, {2, 5, 8, 2, 8, 0})});
  }

  TEST_CASE("a prompt into a cache begins at its first place, however few keys it has") {
    check_inference_op(
        two_heads(),
        {kSteps, kKeys, kValues, kPastKeys, kPastValues, numbers({1}, {0}), numbers({}, {2})},
        {floats({1, 2, 2}, {2, 2, 3, 3}), floats({1, 1, 3, 1}, {5, 7, 0}),
         floats({1, 1, 3, 1}, {2, 4, 0})});
  }

  TEST_CASE("a window of keys, and keys without order") {
    GroupQueryAttention op = two_heads();
    op.window = 1;
    check_inference_op(op,
                       {kSteps, kKeys, kValues, kNone, kNone, numbers({1}, {1}), numbers({}, {2})},
                       {floats({1, 2, 2}, {2, 2, 4, 4})});
    op.window = std::nullopt;
    op.is_causal = false;
    check_inference_op(op,
                       {kSteps, kKeys, kValues, kNone, kNone, numbers({1}, {1}), numbers({}, {2})},
                       {floats({1, 2, 2}, {3, 3, 3, 3})});
  }

  TEST_CASE("keys are turned by their positions, those of the cache have been") {
    // A quarter turn at position 1: 3, 4 becomes -4, 3.
    GroupQueryAttention op;
    op.turn = TurnHeads::yes;
    check_inference_op(
        op,
        {floats({1, 1, 2}, {0, 0}), floats({1, 1, 2}, {3, 4}), floats({1, 1, 2}, {8, 8}),
         floats({1, 1, 1, 2}, {1, 2}), floats({1, 1, 1, 2}, {2, 4}), numbers({1}, {1}),
         numbers({}, {2}), floats({2, 1}, {1, 0}), floats({2, 1}, {0, 1})},
        {floats({1, 1, 2}, {5, 6}), floats({1, 1, 2, 2}, {1, 2, -4, 3}),
         floats({1, 1, 2, 2}, {2, 4, 8, 8})});
  }

  TEST_CASE("numbers may be added to the products") {
    const float hidden = -std::numeric_limits<float>::infinity();
    check_inference_op(
        two_heads(),
        {kStep, kKey, kValue, kPastKeys, kPastValues, numbers({1}, {2}), numbers({}, {3}), kNone,
         kNone, kNone, floats({1, 1, 1, 3}, {hidden, 0, 0})},
        {floats({1, 1, 2}, {6, 6})});
  }

  TEST_CASE("what is missing is named") {
    const auto fails = [](const GroupQueryAttention& op, std::optional<Value> value,
                          const char* message) {
      CHECK_THROWS_WITH_AS(check_inference_op(op,
                                              {kStep, floats({1, 1, 1}, {6}), std::move(value),
                                               kNone, kNone, numbers({1}, {0}), numbers({}, {1})},
                                              {Value()}),
                           doctest::Contains(message), Error);
    };
    fails(two_heads(), kNone, "key and value come only together");
    GroupQueryAttention turned = two_heads();
    turned.turn = TurnHeads::yes;
    fails(turned, floats({1, 1, 1}, {8}), "do_rotary takes cos_cache and sin_cache");
  }
}
