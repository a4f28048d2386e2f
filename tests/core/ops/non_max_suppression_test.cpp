#include "strata/core/ops/non_max_suppression.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor boxes() {  // the second overlaps the first by 1/2 of their union, the third none
  return Tensor::of<float>({1, 3, 4}, {0, 0, 1, 2, 1, 2, 0, 1, 0, 5, 1, 6});
}
ValueList operands(std::int64_t most, float iou, float score) {
  return {boxes(), Tensor::of<float>({1, 1, 3}, {0.5, 0.9f, 0.2f}), Tensor::scalar(most),
          Tensor::scalar(iou), Tensor::scalar(score)};
}
Tensor picked(std::initializer_list<std::int64_t> rows) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(rows.size() / 3), 3}, rows);
}
std::vector<Fact> facts(Shape box_shape, Shape score_shape) {
  return {Fact::tensor(DatumType::f32, box_shape), Fact::tensor(DatumType::f32, score_shape),
          Fact::tensor(DatumType::i64, Shape{}), Fact::tensor(DatumType::f32, Shape{}),
          Fact::tensor(DatumType::f32, Shape{})};
}

/// As the definition says: each box, best first, against all that were picked before.
std::vector<std::int64_t> picked_one_by_one(const std::vector<float>& corners,
                                            const std::vector<float>& scores, float iou) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const auto shared = [&](std::size_t a, std::size_t b, std::size_t axis) {
    const float *p = &corners[4 * a], *q = &corners[4 * b];
    return std::max(0.0f, std::min(p[axis + 2], q[axis + 2]) - std::max(p[axis], q[axis]));
  };
  const auto area = [&](std::size_t a) { return shared(a, a, 0) * shared(a, a, 1); };
  std::vector<std::int64_t> picked;
  for (const std::size_t each : order) {
    const bool is_free = std::all_of(picked.begin(), picked.end(), [&](std::int64_t other) {
      const auto k = static_cast<std::size_t>(other);
      const float both = shared(each, k, 0) * shared(each, k, 1);
      return !(both > 0 && both / (area(k) + area(each) - both) > iou);
    });
    if (is_free) picked.push_back(static_cast<std::int64_t>(each));
  }
  return picked;
}

}  // namespace

TEST_SUITE("non_max_suppression") {
  const NonMaxSuppression op;

  TEST_CASE("non_max_suppression leaves out what overlaps a better box") {
    check_op(op, operands(3, 0.4f, 0), {picked({0, 0, 1, 0, 0, 2})});
    check_op(op, operands(3, 0.5f, 0), {picked({0, 0, 1, 0, 0, 0, 0, 0, 2})});
  }
  TEST_CASE("non_max_suppression obeys the limits") {
    check_op(op, operands(1, 0.5f, 0), {picked({0, 0, 1})});
    check_op(op, operands(3, 0.5f, 0.5f), {picked({0, 0, 1})});
    check_op(op, operands(0, 0.5f, 0), {picked({})});
  }

  TEST_CASE("non_max_suppression of many boxes picks those that a search of all would") {
    constexpr std::int64_t kBoxes = 3000;
    std::mt19937 random(7);
    const auto some = [&](float least, float most) {
      return std::uniform_real_distribution<float>(least, most)(random);
    };
    std::vector<float> corners, scores;
    for (std::int64_t i = 0; i < kBoxes; ++i) {
      // In far groups, as boxes of several classes are; some are empty, some wide, some nearly the
      // same.
      if (i % 5 == 4) {
        for (int k = 0; k < 4; ++k) corners.push_back(corners[corners.size() - 4] + some(0, 0.01f));
        scores.push_back(std::floor(some(1, 500)));
        continue;
      }
      const float y = some(0, 20), x = some(0, 20) + 1000 * std::floor(some(0, 3));
      const float width = i % 50 == 0 ? 0 : some(0, i % 7 == 0 ? 30.0f : 3.0f);
      corners.insert(corners.end(), {y, x, y + some(0, 3), x + width});
      scores.push_back(std::floor(some(1, 500)));
    }
    for (const float iou : {0.0f, 0.1f, 0.5f, 0.9f}) {
      CAPTURE(iou);
      std::vector<std::int64_t> rows;
      for (const std::int64_t each : picked_one_by_one(corners, scores, iou))
        rows.insert(rows.end(), {0, 0, each});
      const auto count = static_cast<std::int64_t>(rows.size() / 3);
      CHECK(count < kBoxes);
      check_op(op,
               {Tensor::of<float>({1, kBoxes, 4}, std::span<const float>(corners)),
                Tensor::of<float>({1, 1, kBoxes}, std::span<const float>(scores)),
                Tensor::scalar(kBoxes), Tensor::scalar(iou), Tensor::scalar(0.0f)},
               {Tensor::of<std::int64_t>({count, 3}, std::span<const std::int64_t>(rows))});
    }
  }
  TEST_CASE("non_max_suppression of boxes at one place, or at none") {
    constexpr std::int64_t kBoxes = 400;
    std::vector<float> corners, scores;
    std::vector<std::int64_t> rows{0, 0, 0};
    for (std::int64_t i = 0; i < kBoxes; ++i) {
      const bool is_nowhere = i % 2 == 1;
      corners.insert(corners.end(), {0, is_nowhere ? NAN : 1.0f, 1, 3});
      scores.push_back(static_cast<float>(kBoxes - i));
      if (is_nowhere) rows.insert(rows.end(), {0, 0, i});
    }
    check_op(
        op,
        {Tensor::of<float>({1, kBoxes, 4}, std::span<const float>(corners)),
         Tensor::of<float>({1, 1, kBoxes}, std::span<const float>(scores)), Tensor::scalar(kBoxes),
         Tensor::scalar(0.5f), Tensor::scalar(0.0f)},
        {Tensor::of<std::int64_t>({std::ssize(rows) / 3, 3}, std::span<const std::int64_t>(rows))});
  }

  TEST_CASE("non_max_suppression goes by scores of both signs, and by place where they are equal") {
    const std::vector<float> scores{-0.0f, -2, 0, NAN, -1, INFINITY, -INFINITY, -1};
    const Tensor nowhere = MutableTensor::zeros(DatumType::f32, {1, 8, 4}).freeze();
    check_op(op,
             {nowhere, Tensor::of<float>({1, 1, 8}, std::span<const float>(scores)),
              Tensor::scalar(std::int64_t{8}), Tensor::scalar(0.5f), Tensor::scalar(-3.0f)},
             {picked({0, 0, 5, 0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 7, 0, 0, 1})});
  }

  TEST_CASE("non_max_suppression_c1: no thresholds") {
    CHECK_THROWS_WITH_AS(facts_of(op, {Fact::of(boxes())}), doctest::Contains("(C1)"), Error);
  }
  TEST_CASE("non_max_suppression_c2: boxes of rank 2") {
    CHECK_THROWS_WITH_AS(facts_of(op, facts({3, 4}, {1, 1, 3})), doctest::Contains("(C2)"), Error);
    for (std::size_t i = 2; i < 5; ++i) {
      std::vector<Fact> wrong = facts({1, 3, 4}, {1, 1, 3});
      wrong[i] = Fact::tensor(DatumType::i32, Shape{});
      CHECK_THROWS_WITH_AS(facts_of(op, wrong), doctest::Contains("(C2)"), Error);
      wrong[i] = Fact::tensor(i == 2 ? DatumType::i64 : DatumType::f32, Shape{2});
      CHECK_THROWS_WITH_AS(facts_of(op, wrong), doctest::Contains("(C2)"), Error);
    }
  }
  TEST_CASE("non_max_suppression_c3: more scores than boxes") {
    CHECK_THROWS_WITH_AS(facts_of(op, facts({1, 3, 4}, {1, 1, 4})), doctest::Contains("(C3)"),
                         Error);
  }
}
