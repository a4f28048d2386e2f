#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/kernel_ops/all_widths.h"
#include "strata/core/ops/pad.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("pad kernel") {
  TEST_CASE("pads with a constant, and takes away where the amount is negative") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      const Shape shape = noise.shape(rank, noise.number(0, 1), 5);
      std::vector<std::int64_t> axes(rank);
      std::iota(axes.begin(), axes.end(), 0);
      std::rotate(axes.begin(), axes.begin() + 1, axes.end());
      std::vector<std::int64_t> pads;
      for (int i = 0; i < 2; ++i)
        for (const std::int64_t axis : axes)
          pads.push_back(noise.number(-(shape[static_cast<std::size_t>(axis)] / 2), 3));
      check_lowered(Pad{},
                    {{noise.tensor(type, shape)},
                     {noise.integers(DatumType::i64, pads), noise.number(0, 2) > 0},
                     {noise.tensor(type, noise.number(0, 1) == 0 ? Shape{} : Shape{0}), true},
                     {noise.integers(DatumType::i64, axes), true}},
                    "PadKernel");
    });
  }

  TEST_CASE("pads with what the data are, again and again") {
    for (const PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap})
      in_all_widths([&](Noise& noise, DatumType type) {
        const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
        check_lowered(Pad{mode},
                      {{noise.tensor(type, noise.shape(rank, 1, 4))},
                       {noise.integers(index_type(noise), numbers(noise, 2 * rank, 0, 9)),
                        noise.number(0, 1) == 0}},
                      "PadKernel");
      });
  }

  TEST_CASE("pads that take away what others repeat") {
    for (const PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap})
      in_all_widths([&](Noise& noise, DatumType type) {
        const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
        check_lowered(Pad{mode},
                      {{noise.tensor(type, noise.shape(rank, 1, 4))},
                       {noise.integers(index_type(noise), numbers(noise, 2 * rank, -3, 5)),
                        noise.number(0, 1) == 0}},
                      "PadKernel");
      });
  }

  TEST_CASE("an axis of no elements cannot be padded with its own") {
    Noise noise(6);
    check_lowered(Pad{PadMode::wrap},
                  {{noise.tensor(DatumType::f32, {0, 3})},
                   {noise.integers(DatumType::i64, {1, 0, 0, 0}), true}},
                  "PadKernel");
    for (const PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap})
      for (const auto& pads : {std::vector<std::int64_t>{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 0, 0, 0}})
        check_lowered(
            Pad{mode},
            {{noise.tensor(DatumType::f32, {0, 0})}, {noise.integers(DatumType::i64, pads)}},
            "PadKernel");
  }

  TEST_CASE("pads that leave nothing of an axis") {
    Noise noise(4);
    for (const auto& pads : {std::vector<std::int64_t>{-4, 5}, {5, -4}, {-3, 0}, {-9, 9}})
      check_lowered(
          Pad{},
          {{noise.tensor(DatumType::f32, {3})}, {noise.integers(DatumType::i64, pads), true}},
          "PadKernel");
  }
}
