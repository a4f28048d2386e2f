#include <doctest/doctest.h>

#include "kernel_ops/cell_product.h"
#include "kernel_ops/gru_cell_kernel.h"
#include "kernel_ops/lstm_cell_kernel.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("cell kernels") {
  TEST_CASE("the weights of a step may be gone through backward") {
    constexpr std::int64_t kSize = 7, kColumns = 333;
    Noise random(5);
    const Tensor x = random.tensor(DatumType::f32, {kSize});
    const Tensor weights = random.tensor(DatumType::f32, {kSize, kColumns});
    std::vector<float> expected;
    for (std::int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < kSize; ++i)
        sum += static_cast<double>(x.as<float>()[static_cast<std::size_t>(i)]) *
               static_cast<double>(weights.as<float>()[static_cast<std::size_t>(i * kColumns + j)]);
      expected.push_back(static_cast<float>(sum));
    }
    for (const Isa isa : supported_isas()) {
      const CellProduct product{1, kSize, kColumns, kernels::kernels(isa)};
      MutableTensor packed =
          MutableTensor::zeros(DatumType::f32, {product.table.packed_b_size(kSize, kColumns)});
      product.table.pack_b({weights.as<float>().data(), kColumns, 1}, kSize, kColumns,
                           packed.as<float>().data());
      std::vector<std::byte> scratch(product.scratch_bytes() + 1);
      for (const Sweep sweep : {Sweep::forward, Sweep::backward}) {
        std::vector<float> y(kColumns + 1, 42);
        product.run(x.as<float>().data(), packed.as<float>().data(), y.data(), scratch.data(),
                    sweep, {0, kColumns});
        CHECK(y.back() == 42);
        y.pop_back();
        check_close(Tensor::of<float>({kColumns}, y), Tensor::of<float>({kColumns}, expected), 1e-6,
                    1e-6);
      }
    }
  }

  TEST_CASE("a cell refuses states of different numbers of rows") {
    const auto fact = [](Shape shape) { return float_fact(shape); };
    const LstmCellKernel lstm{.hidden = 2, .state_size = 3};
    CHECK(
        facts_of(lstm, {fact({4, 3}), fact({64}), fact({4, 2}), fact({4, 8}), fact({8})}).size() ==
        2);
    CHECK_THROWS_WITH_AS(facts_of(lstm, {fact({3, 3}), fact({64}), fact({4, 2})}),
                         doctest::Contains("takes 4 rows, not f32[3,3]"), Error);
    CHECK_THROWS_WITH_AS(facts_of(lstm, {fact({4, 2}), fact({64}), fact({4, 2})}),
                         doctest::Contains("takes rows of 3, not f32[4,2]"), Error);
    CHECK_THROWS_WITH_AS(facts_of(lstm, {fact({4, 3}), fact({64}), fact({4, 2}), fact({2, 8})}),
                         doctest::Contains("takes 4 rows, not f32[2,8]"), Error);
    const GruCellKernel gru{.hidden = 2};
    CHECK(facts_of(gru, {fact({4, 2}), fact({64}), fact({4, 6}), fact({6})}).size() == 1);
    CHECK_THROWS_WITH_AS(facts_of(gru, {fact({4, 2}), fact({64}), fact({3, 6})}),
                         doctest::Contains("takes 4 rows, not f32[3,6]"), Error);
    CHECK_THROWS_WITH_AS(facts_of(gru, {fact({4, 2}), fact({64}), fact({4, 6}), fact({2, 6})}),
                         doctest::Contains("takes 1 rows, not f32[2,6]"), Error);
  }
}
