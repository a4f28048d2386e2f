#include <doctest/doctest.h>

#include <numeric>

#include "core/kernel_ops/on_threads.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/top_k.h"
#include "support/lowered.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr DatumType kNumbers[] = {DatumType::u8,  DatumType::u64, DatumType::i8,  DatumType::i32,
                                  DatumType::i64, DatumType::f16, DatumType::f32, DatumType::f64};

/// Sums are added in another order than `eval` does it; narrow floats round what comes out.
KernelTolerance tolerance(DatumType type) {
  if (type == DatumType::f16) return {1e-3, 1e-3};
  if (type == DatumType::f32) return {2e-6, 1e-6};
  return type == DatumType::f64 ? KernelTolerance{1e-12, 1e-12} : KernelTolerance{};
}

/// Some axes of a shape, each at most once.
std::vector<std::int64_t> some_axes(Noise& noise, std::size_t rank) {
  std::vector<std::int64_t> out;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis)
    if (noise.number(0, 1) == 0)
      out.push_back(noise.number(0, 1) == 0 ? axis : axis - static_cast<std::int64_t>(rank));
  return out;
}

bool needs_reals(Reduction op) {
  return op == Reduction::l2 || op == Reduction::log_sum || op == Reduction::log_sum_exp;
}

}  // namespace

TEST_SUITE("reduction kernels") {
  TEST_CASE("reductions of every type along any axes") {
    Noise noise(1);
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const DatumType type : kNumbers) {
        if (needs_reals(op) && !is_float(type)) continue;
        CAPTURE(name);
        for (int round = 0; round < 30; ++round) {
          const auto rank = static_cast<std::size_t>(noise.number(0, 4));
          const Reduce reduce{op, noise.number(0, 1) == 0,
                              noise.number(0, 1) == 0 ? NoAxes::means_all : NoAxes::means_none};
          const Tensor data = noise.tensor(type, noise.shape(rank, noise.number(0, 4) > 0, 5));
          if (noise.number(0, 3) == 0)
            check_lowered(reduce, {{data}}, "ReduceKernel", tolerance(type));
          else
            check_lowered(reduce,
                          {{data}, {noise.integers(DatumType::i64, some_axes(noise, rank)), true}},
                          "ReduceKernel", tolerance(type));
        }
      }
  }

  TEST_CASE("the greatest and the least of bools") {
    Noise noise(2);
    for (const Reduction op : {Reduction::max, Reduction::min})
      for (const Shape& shape : {Shape{3, 4}, Shape{0, 4}, Shape{4, 0}})
        check_lowered(Reduce{op},
                      {{noise.tensor(DatumType::boolean, shape)},
                       {noise.integers(DatumType::i64, {1}), true}},
                      "ReduceKernel");
  }

  TEST_CASE("reductions of rows and columns longer than a block") {
    Noise noise(3);
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const std::int64_t axis : {0, 1, 2}) {
        CAPTURE(name);
        const Shape shape = axis == 1 ? Shape{3, 5, 601} : Shape{601, 2, 523};
        check_lowered(
            Reduce{op, false},
            {{noise.tensor(DatumType::f32, shape)}, {noise.integers(DatumType::i64, {axis}), true}},
            "ReduceKernel", {1e-5, 1e-5});
      }
  }

  TEST_CASE("many short rows of every type") {
    Noise noise(17);
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const DatumType type : kNumbers) {
        if (needs_reals(op) && !is_float(type)) continue;
        CAPTURE(name);
        for (const std::int64_t size : {1, 2, 7, 8, 16, 17})
          for (const std::int64_t rows : {1, 2, 301})
            check_lowered(
                Reduce{op},
                {{noise.tensor(type, {rows, size})}, {noise.integers(DatumType::i64, {1}), true}},
                "ReduceKernel", tolerance(type));
      }
  }

  TEST_CASE("reductions of numbers one by one are the same on any number of threads") {
    Noise noise(6);
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const DatumType type : kNumbers) {
        if (needs_reals(op) && !is_float(type)) continue;
        CAPTURE(name);
        const Tensor data = noise.tensor(type, {90, 7, 61});
        for (const auto& axes : {std::vector<std::int64_t>{0}, {1}, {2}, {0, 2}, {1, 2}})
          check_lowered_threads(Reduce{op}, {{data}, {Tensor::vector<std::int64_t>(axes), true}});
      }
  }

  TEST_CASE("axes of floats that do not lie side by side are reduced one run after the other") {
    Noise noise(4);
    const Tensor x = noise.tensor(DatumType::f32, {3, 5, 1, 4, 6});
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const bool keep_dims : {false, true})
        for (const auto& axes : {std::vector<std::int64_t>{0, 3, 4},
                                 {0, 2, 4},
                                 {1, 2, 3, 0},
                                 {-1, 2, 1},
                                 {2, 0},
                                 {4, 2, 0, 1}}) {
          CAPTURE(name);
          const Reduce reduce{op, keep_dims};
          const Tensor along = noise.integers(DatumType::i64, axes);
          check_lowered(reduce, {{x}, {along, true}}, "ReduceKernel", {1e-5, 1e-5});
        }
    const auto kernels = [&](const Shape& shape, const std::vector<std::int64_t>& axes) {
      TypedModel model;
      const OutletId in = model.add_source("x", Fact::tensor(DatumType::f32, shape));
      const OutletId along = model.constant("axes", noise.integers(DatumType::i64, axes));
      model.add_output("y", model.wire_one("y", Reduce{Reduction::mean}, {in, along}));
      optimise(model);
      return count_of_op(model, "ReduceKernel");
    };
    CHECK(kernels({8, 16, 9, 9}, {0, 2, 3}) == 2);
    CHECK(kernels({8, 16, 9, 9}, {2, 3}) == 1);
    CHECK(kernels({1, 16, 9, 9}, {0, 2, 3}) == 1);
    CHECK(kernels({8, 16, 9, 1}, {1, 3}) == 1);
    CHECK(kernels({8, 16, 1, 9}, {1, 2, 3}) == 1);
  }

  TEST_CASE("NaN and infinities in reductions") {
    constexpr double kInf = std::numeric_limits<double>::infinity(),
                     kNan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values{1, kInf, -kInf, 0, kNan, 2, -kInf, -kInf, kInf, kInf, 1, kNan};
    for (const auto& [op, name] : enumerators(Reduction::sum))
      for (const DatumType type : {DatumType::f32, DatumType::f64})
        for (const std::int64_t axis : {0, 1}) {
          CAPTURE(name);
          Noise noise(4);
          check_lowered(Reduce{op},
                        {{cast(Tensor::vector<double>(values), type).reshaped({6, 2})},
                         {noise.integers(DatumType::i64, {axis}), true}},
                        "ReduceKernel", tolerance(type));
        }
  }

  TEST_CASE("where the extremes are, with every rule for ties") {
    Noise noise(5);
    for (const DatumType type : kNumbers)
      for (const Extreme op : {Extreme::max, Extreme::min})
        for (const Tie tie : {Tie::first, Tie::last})
          for (int round = 0; round < 12; ++round) {
            const auto rank = static_cast<std::size_t>(noise.number(1, 4));
            const std::int64_t axis =
                noise.number(-static_cast<std::int64_t>(rank), static_cast<std::int64_t>(rank) - 1);
            Shape shape = noise.shape(rank, 1, 5);
            if (round == 0) shape.back() = 150;
            check_lowered(ArgReduce{op, axis, noise.number(0, 1) == 0, tie},
                          {{noise.tensor(type, shape)}}, "ArgReduceKernel");
          }
    for (const Tie tie : {Tie::first, Tie::last})
      check_lowered(ArgReduce{Extreme::max, 0, true, tie},
                    {{Tensor::vector<float>(std::vector<float>{1, NAN, 3, NAN, 2})}},
                    "ArgReduceKernel");
  }

  TEST_CASE("places of extremes of narrow floats, over more than a tile") {
    Noise noise(9);
    for (const DatumType type : {DatumType::f16, DatumType::bf16})
      for (const Extreme op : {Extreme::max, Extreme::min})
        for (const Tie tie : {Tie::first, Tie::last}) {
          check_lowered(ArgReduce{op, 1, true, tie}, {{noise.tensor(type, {3, 9000})}},
                        "ArgReduceKernel");
          check_lowered(ArgReduce{op, 1, true, tie}, {{noise.tensor(type, {2, 130, 70})}},
                        "ArgReduceKernel");
          check_lowered(ArgReduce{op, 0, true, tie}, {{noise.tensor(type, {5000, 3})}},
                        "ArgReduceKernel");
        }
    std::vector<f16> numbers(9000, f16(1.0F));
    numbers[8000] = numbers[8500] = f16(2.0F);
    for (const bool has_nan : {false, true}) {
      if (has_nan) numbers[5000] = numbers[8200] = f16(NAN);
      for (const Tie tie : {Tie::first, Tie::last})
        check_lowered(ArgReduce{Extreme::max, 0, true, tie}, {{Tensor::vector<f16>(numbers)}},
                      "ArgReduceKernel");
    }
  }

  TEST_CASE("running sums and products along any axis") {
    Noise noise(6);
    for (const DatumType type : kNumbers)
      for (const Cumulation op : {Cumulation::sum, Cumulation::prod})
        for (int round = 0; round < 20; ++round) {
          const auto rank = static_cast<std::size_t>(noise.number(1, 4));
          const std::int64_t axis =
              noise.number(-static_cast<std::int64_t>(rank), static_cast<std::int64_t>(rank) - 1);
          check_lowered(
              Cumulate{op, noise.number(0, 1) == 0, noise.number(0, 1) == 0},
              {{noise.tensor(type, noise.shape(rank, noise.number(0, 1), 5))},
               {noise.integers(DatumType::i32, {axis}).reshaped({}), noise.number(0, 1) == 0}},
              "CumulateKernel");
        }
  }

  TEST_CASE("running totals of many lanes side by side, from both ends") {
    Noise noise(16);
    for (const DatumType type : kNumbers)
      for (const Cumulation op : {Cumulation::sum, Cumulation::prod})
        for (const bool exclusive : {false, true})
          for (const bool reverse : {false, true})
            check_lowered(Cumulate{op, exclusive, reverse},
                          {{noise.tensor(type, {2, 5, 9, 8})},
                           {noise.integers(DatumType::i32, {1}).reshaped({}), true}},
                          "CumulateKernel");
  }

  TEST_CASE("layer norms with and without scale and bias") {
    Noise noise(7);
    for (int round = 0; round < 40; ++round) {
      const auto rank = static_cast<std::size_t>(noise.number(1, 4));
      const auto axis = static_cast<std::size_t>(noise.number(0, static_cast<int>(rank) - 1));
      const Shape shape = noise.shape(rank, 1, 6);
      const Shape row(std::span<const std::int64_t>(shape).subspan(axis));
      std::vector<KernelOperand> operands{{noise.tensor(DatumType::f32, shape)}};
      for (std::int64_t i = noise.number(0, 2); i > 0; --i)
        operands.push_back({noise.tensor(DatumType::f32, row), true});
      const LayerNorm op{static_cast<std::int64_t>(axis), 0.25F};
      check_lowered_when_fixed(op, operands, "NormKernel", {1e-5, 1e-4});
    }
  }

  TEST_CASE("softmax of every kind along any axis") {
    Noise noise(9);
    for (const SoftmaxKind op :
         {SoftmaxKind::softmax, SoftmaxKind::log_softmax, SoftmaxKind::hardmax})
      for (const DatumType type : {DatumType::f16, DatumType::f32, DatumType::f64})
        for (int round = 0; round < 12; ++round) {
          const auto rank = static_cast<std::size_t>(noise.number(2, 4));
          const std::int64_t axis = noise.number(0, static_cast<std::int64_t>(rank) - 2);
          Shape shape = noise.shape(rank, noise.number(0, 1), 5);
          if (round == 0) shape.back() = 150;
          const bool is_fast = type != DatumType::f64 && op != SoftmaxKind::hardmax;
          check_lowered(Softmax{op, {axis}}, {{noise.tensor(type, shape)}},
                        is_fast ? "SoftmaxKernel" : "NumericSoftmaxKernel", tolerance(type));
        }
  }

  TEST_CASE("the best of the elements along any axis") {
    Noise noise(8);
    for (const DatumType type : kNumbers)
      for (const TopKOrder order : {TopKOrder::greatest, TopKOrder::least})
        for (int round = 0; round < 15; ++round) {
          const auto rank = static_cast<std::size_t>(noise.number(1, 3));
          const std::int64_t axis = noise.number(0, static_cast<std::int64_t>(rank) - 1);
          const Shape shape = noise.shape(rank, 1, 7);
          const std::int64_t k = noise.number(0, shape[static_cast<std::size_t>(axis)]);
          check_lowered(TopK{axis, order},
                        {{noise.tensor(type, shape)},
                         {noise.integers(DatumType::i64, {k}), noise.number(0, 2) > 0}},
                        "TopKKernel");
        }
  }
}
