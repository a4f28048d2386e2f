#include <doctest/doctest.h>

#include "core/kernel_ops/all_widths.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/scatter_nd.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("picking kernels") {
  TEST_CASE("picks slices along any axis; an index outside it is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      const Shape shape = noise.shape(rank, noise.number(0, 1), 5);
      Gather op{noise.number(0, static_cast<std::int64_t>(rank) - 1)};
      const std::int64_t extent = shape[static_cast<std::size_t>(op.axis)],
                         beyond = noise.number(0, 4) == 0;
      const auto count = static_cast<std::size_t>(noise.number(0, 6));
      Tensor picks = noise.integers(index_type(noise),
                                    numbers(noise, count, -extent - beyond, extent - 1 + beyond));
      if (count % 2 == 0) picks = picks.reshaped({2, static_cast<std::int64_t>(count / 2)});
      if (count == 1) picks = picks.reshaped({});
      if (noise.number(0, 1) == 0) op.axis -= static_cast<std::int64_t>(rank);
      check_lowered(op, {{noise.tensor(type, shape)}, {picks}}, "GatherKernel");
    });
  }

  TEST_CASE("picks what lies side by side, from either end and up to an index outside") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::int64_t extent = 50;
      std::vector<std::int64_t> picks = numbers(noise, 3, -extent, extent - 1);
      for (int run = 0; run < 3; ++run) {
        const std::int64_t first = noise.number(-extent, extent - 1), count = noise.number(1, 40);
        const std::int64_t beyond = noise.number(0, 9) == 0;
        for (std::int64_t i = 0; i < count; ++i)
          if (first + i < extent + beyond) picks.push_back(first + i);
      }
      const Shape shape = noise.number(0, 1) == 0 ? Shape{extent} : Shape{2, extent, 3};
      check_lowered(Gather{static_cast<std::int64_t>(shape.size() > 1)},
                    {{noise.tensor(type, shape)}, {noise.integers(index_type(noise), picks)}},
                    "GatherKernel");
    });
  }

  TEST_CASE("picks single elements along any axis; an index outside it is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(1, 4));
      const Shape shape = noise.shape(rank, noise.number(0, 1), 5);
      GatherElements op{noise.number(0, static_cast<std::int64_t>(rank) - 1)};
      const auto at = static_cast<std::size_t>(op.axis);
      Shape picked = shape;
      for (std::int64_t& size : picked) size = noise.number(0, size);
      picked[at] = noise.number(0, 7);
      const std::int64_t beyond = noise.number(0, 9) == 0;
      const Tensor picks =
          noise
              .integers(index_type(noise),
                        numbers(noise, static_cast<std::size_t>(element_count(picked)),
                                -shape[at] - beyond, shape[at] - 1 + beyond))
              .reshaped(picked);
      if (noise.number(0, 1) == 0) op.axis -= static_cast<std::int64_t>(rank);
      check_lowered(op, {{noise.tensor(type, shape)}, {picks}}, "GatherElementsKernel");
    });
  }

  TEST_CASE("scatters slices into data; an index outside it is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const auto rank = static_cast<std::size_t>(noise.number(1, 3));
      const auto depth = static_cast<std::size_t>(noise.number(0, static_cast<int>(rank)));
      const Shape shape = noise.shape(rank, 1, 4);
      const std::int64_t tuples = noise.number(0, 5), beyond = noise.number(0, 6) == 0;
      std::vector<std::int64_t> picks;
      for (std::int64_t n = 0; n < tuples; ++n)
        for (std::size_t i = 0; i < depth; ++i)
          picks.push_back(noise.number(-shape[i] - beyond, shape[i] - 1 + beyond));
      Shape updates{tuples};
      for (std::size_t i = depth; i < rank; ++i) updates.push_back(shape[i]);
      constexpr ScatterReduction kKinds[] = {ScatterReduction::none, ScatterReduction::none,
                                             ScatterReduction::add,  ScatterReduction::mul,
                                             ScatterReduction::max,  ScatterReduction::min};
      const auto kind = kKinds[noise.number(0, type == DatumType::c128 ? 3 : 5)];
      check_lowered(ScatterNd{kind},
                    {{noise.tensor(type, shape)},
                     {noise.integers(index_type(noise), picks)
                          .reshaped({tuples, static_cast<std::int64_t>(depth)}),
                      true},
                     {noise.tensor(type, updates)}},
                    "ScatterNdKernel");
    });
  }

  TEST_CASE("updates of another shape are refused in the run") {
    Noise noise(8);
    for (const Shape& updates : {Shape{3, 2}, Shape{2, 3}, Shape{2}})
      check_lowered(ScatterNd{},
                    {{noise.tensor(DatumType::f32, {4, 2})},
                     {noise.integers(DatumType::i64, {0, 1}).reshaped({2, 1})},
                     {noise.tensor(DatumType::f32, updates)}},
                    "ScatterNdKernel");
  }
}
