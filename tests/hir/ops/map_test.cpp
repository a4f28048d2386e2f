#include "strata/hir/ops/map.h"

#include <doctest/doctest.h>

#include "support/hir_case.h"
#include "support/integers.h"

using namespace strata;
using namespace strata::hir;
using namespace strata::tests;

namespace {

const Value kValues = Tensor::of<float>({2}, {1.5, 2.5});

}  // namespace

TEST_SUITE("hir maps") {
  TEST_CASE("a zipped map is its keys and the rows of values") {
    const Tensor keys = Tensor::of<std::string>({2}, {"a", "b"});
    const Tensor rows = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
    check_inference_op(ZipMap{keys}, {Value(rows)}, {keys, rows});
    check_inference_op(ZipMap{keys}, {Value(Tensor::of<float>({2}, {1, 2}))},
                       {keys, Tensor::of<float>({1, 2}, {1, 2})});
  }

  TEST_CASE("a vocabulary gives each value its place") {
    const DictVectorizer numbers{Tensor::of<std::int64_t>({3}, {5, 3, 9})};
    check_inference_op(numbers, {integers({3, 5}), kValues},
                       {Tensor::of<float>({3}, {2.5, 1.5, 0})});
    const DictVectorizer words{Tensor::of<std::string>({2}, {"a", "c"})};
    check_inference_op(words, {Value(Tensor::of<std::string>({1}, {"c"})), integers({4})},
                       {integers({0, 4})});
  }

  TEST_CASE("a key that is no word is an error") {
    const DictVectorizer op{Tensor::of<std::int64_t>({2}, {5, 3})};
    CHECK_THROWS_WITH_AS(
        check_inference_op(op, {integers({3, 4}), kValues}, {Tensor::of<float>({2}, {0, 0})}),
        doctest::Contains("index 2 is outside an axis of 2"), Error);
  }

  TEST_CASE("a map is cast in the order of its keys, or to the places they name") {
    check_inference_op(CastMap{}, {integers({3, 1}), kValues},
                       {Tensor::of<float>({1, 2}, {2.5, 1.5})});
    check_inference_op(CastMap{DatumType::i64, MapForm::sparse, 5}, {integers({3, 1}), kValues},
                       {Tensor::of<std::int64_t>({1, 5}, {0, 2, 0, 1, 0})});
    check_inference_op(CastMap{DatumType::string, MapForm::sparse, 2},
                       {integers({1}), Value(Tensor::of<std::string>({1}, {"x"}))},
                       {Tensor::of<std::string>({1, 2}, {"", "x"})});
  }
}
