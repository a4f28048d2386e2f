#include <doctest/doctest.h>

#include "core/kernel_ops/all_widths.h"
#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/gather_kernel.h"
#include "kernel_ops/gather_nd_kernel.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/gather_elements.h"
#include "strata/core/ops/gather_nd.h"
#include "strata/core/ops/reverse_sequence.h"
#include "strata/core/ops/scatter_elements.h"
#include "strata/core/ops/scatter_nd.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/tensor_scatter.h"
#include "strata/core/ops/unary.h"
#include "support/loop_model.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// Places along an axis of `shape`, for some or all rows along the others; now and then one that is
/// outside.
Tensor picks_along(Noise& noise, const Shape& shape, std::size_t axis) {
  Shape picked = shape;
  for (std::int64_t& size : picked) size = noise.number(0, size);
  picked[axis] = noise.number(0, 7);
  const std::int64_t beyond = noise.number(0, 9) == 0;
  const auto count = static_cast<std::size_t>(element_count(picked));
  return noise
      .integers(index_type(noise),
                numbers(noise, count, -shape[axis] - beyond, shape[axis] - 1 + beyond))
      .reshaped(picked);
}

}  // namespace

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
      const Tensor picks = picks_along(noise, shape, static_cast<std::size_t>(op.axis));
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

  TEST_CASE("long slices are joined as single elements are") {
    Noise noise(9);
    for (const DatumType type : {DatumType::f32, DatumType::f64, DatumType::i32, DatumType::u8,
                                 DatumType::f16, DatumType::boolean})
      for (const auto kind : {ScatterReduction::add, ScatterReduction::mul, ScatterReduction::max,
                              ScatterReduction::min})
        check_lowered(ScatterNd{kind},
                      {{noise.tensor(type, {3, 37})},
                       {noise.integers(DatumType::i64, {0, 2, 0, -1}).reshaped({4, 1}), true},
                       {noise.tensor(type, {4, 37})}},
                      "ScatterNdKernel");
  }

  TEST_CASE("scatters single elements along any axis; an index outside it is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const auto rank = static_cast<std::size_t>(noise.number(1, 4));
      const Shape shape = noise.shape(rank, 1, 5);
      constexpr ScatterReduction kKinds[] = {ScatterReduction::none, ScatterReduction::none,
                                             ScatterReduction::add,  ScatterReduction::mul,
                                             ScatterReduction::max,  ScatterReduction::min};
      ScatterElements op{noise.number(0, static_cast<std::int64_t>(rank) - 1),
                         kKinds[noise.number(0, type == DatumType::c128 ? 3 : 5)]};
      const Tensor picks = picks_along(noise, shape, static_cast<std::size_t>(op.axis));
      if (noise.number(0, 1) == 0) op.axis -= static_cast<std::int64_t>(rank);
      check_lowered(op, {{noise.tensor(type, shape)}, {picks}, {noise.tensor(type, picks.shape())}},
                    "ScatterElementsKernel");
    });
  }

  TEST_CASE("picks slices by tuples, in batches; an index outside an axis is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const auto rank = static_cast<std::size_t>(noise.number(1, 4)),
                 batch = static_cast<std::size_t>(noise.number(0, static_cast<int>(rank) - 1));
      const auto depth = static_cast<std::size_t>(noise.number(0, static_cast<int>(rank - batch)));
      const Shape shape = noise.shape(rank, noise.number(0, 1), 4);
      Shape listed(Span(shape).first(batch));
      listed.push_back(noise.number(0, 5));
      const std::int64_t beyond = noise.number(0, 9) == 0;
      std::vector<std::int64_t> picks;
      for (std::int64_t n = 0; n < element_count(listed); ++n)
        for (std::size_t i = batch; i < batch + depth; ++i)
          picks.push_back(noise.number(-shape[i] - beyond, shape[i] - 1 + beyond));
      listed.push_back(static_cast<std::int64_t>(depth));
      check_lowered(GatherNd{static_cast<std::int64_t>(batch)},
                    {{noise.tensor(type, shape)},
                     {noise.integers(index_type(noise), picks).reshaped(listed), true}},
                    "GatherNdKernel");
    });
  }

  TEST_CASE("tuples of one index are those of a Gather, unless they are constant") {
    Noise noise(31);
    const Tensor data = noise.tensor(DatumType::f32, {7, 3});
    const auto picked = [&](OutletId (*indices)(TypedModel&)) {
      TypedModel model;
      const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{7, 3}));
      model.add_output("y", model.wire_one("y", GatherNd{}, {x, indices(model)}));
      optimise(model);
      return model;
    };
    const TypedModel known = picked([](TypedModel& model) {
      return model.constant("indices", Tensor::of<std::int64_t>({2, 1}, {1, 7}));
    });
    const TypedModel given = picked([](TypedModel& model) {
      return model.add_source("indices", Fact::tensor(DatumType::i64, Shape{2, 2, 1}));
    });
    CHECK((has_op<GatherNdKernel>(known) && has_op<GatherKernel>(given)));
    CHECK_THROWS_WITH_AS(run_model(known, ValueList{data}), doctest::Contains("index 7 is outside"),
                         Error);
    const auto run = [&](std::initializer_list<std::int64_t> indices) {
      return run_model(given, ValueList{data, Tensor::of<std::int64_t>({2, 2, 1}, indices)})[0];
    };
    CHECK_THROWS_WITH_AS(run({0, 1, 2, -8}), doctest::Contains("index -8 is outside"), Error);
    const ValueList wanted =
        TypedOp(Gather{0}).eval(ValueList{data, Tensor::of<std::int64_t>({2, 2}, {6, -7, 3, 3})});
    CHECK(run({6, -7, 3, 3}) == wanted[0]);
  }

  TEST_CASE("reverses sequences along any two axes; a length outside the axis is refused") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::int64_t rank = noise.number(2, 4);
      const Shape shape = noise.shape(static_cast<std::size_t>(rank), noise.number(0, 1), 5);
      const std::int64_t batch = noise.number(0, rank - 1),
                         time = (batch + noise.number(1, rank - 1)) % rank;
      const std::int64_t beyond = noise.number(0, 9) == 0;
      const Tensor lengths = noise.integers(
          index_type(noise),
          numbers(noise, static_cast<std::size_t>(shape[static_cast<std::size_t>(batch)]), -beyond,
                  shape[static_cast<std::size_t>(time)] + beyond));
      const std::int64_t from_end = noise.number(0, 1) * rank;
      check_lowered(ReverseSequence{batch - from_end, time - from_end},
                    {{noise.tensor(type, shape)}, {lengths}}, "ReverseSequenceKernel");
    });
  }

  TEST_CASE("overwrites slices of a cache, from any place of each batch") {
    in_all_widths([](Noise& noise, DatumType type) {
      const std::size_t rank = static_cast<std::size_t>(noise.number(2, 4));
      const Shape shape = noise.shape(rank, noise.number(0, 1), 5);
      const std::int64_t axis = noise.number(1, static_cast<std::int64_t>(rank) - 1);
      const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
      Shape update = shape;
      update[static_cast<std::size_t>(axis)] = noise.number(0, extent);
      const bool is_circular = noise.number(0, 1) == 0;
      const std::int64_t beyond = is_circular ? 9 : noise.number(0, 9) == 0;
      const std::int64_t last =
          std::max<std::int64_t>(extent - update[static_cast<std::size_t>(axis)], 0);
      std::vector<KernelOperand> operands{{noise.tensor(type, shape)},
                                          {noise.tensor(type, update)}};
      if (noise.number(0, 4) > 0)
        operands.push_back(
            {noise.integers(index_type(noise), numbers(noise, static_cast<std::size_t>(shape[0]),
                                                       -beyond, last + beyond))});
      const bool from_end = noise.number(0, 1) == 0;
      check_lowered(TensorScatter{from_end ? axis - static_cast<std::int64_t>(rank) : axis,
                                  is_circular ? ScatterWrap::circular : ScatterWrap::linear},
                    operands, "TensorScatterKernel");
    });
  }

  TEST_CASE("what is made on the way is overwritten in place") {
    Noise noise(14);
    const Tensor x = uniform_floats({2, 6, 4}), mask = noise.tensor(DatumType::boolean, {2, 6, 1}),
                 update = uniform_floats({2, 2, 4}), rows = uniform_floats({6, 4});
    for (const bool chooses_first : {false, true}) {
      TypedModel model;
      const auto source = [&](const char* name, const Tensor& value) {
        return model.add_source(name, Fact::of(value).without_value());
      };
      const OutletId given = source("x", x), chosen = source("mask", mask);
      const OutletId made = model.wire_one("made", Unary{UnaryOp::neg}, {given});
      const OutletId scattered =
          model.wire_one("scattered", TensorScatter{1},
                         {made, source("update", update),
                          model.constant("starts", Tensor::of<std::int64_t>({2}, {4, 1}))});
      const OutletId other = source("rows", rows);
      const OutletId y = model.wire_one("y", Select{},
                                        chooses_first ? OutletIds{chosen, scattered, other}
                                                      : OutletIds{chosen, other, scattered});
      model.add_output("y", y);
      const ValueList inputs{x, mask, update, rows};
      const ValueList before = run_model(model, inputs);
      optimise(model);
      CHECK(count_of_op(model, "TensorScatterKernel") == 1);
      CHECK(count_of_op(model, "SelectKernel") == 1);
      Session session(Plan::build(model));
      for (int run = 0; run < 2; ++run) CHECK(session.run(inputs) == before);
    }
  }

  TEST_CASE("many elements and slices are the same on each number of threads") {
    Noise noise(12);
    const Tensor data = noise.tensor(DatumType::f32, {40, 300, 20}),
                 updates = noise.tensor(DatumType::f32, {40, 250, 20});
    const std::vector<std::int64_t> picks = numbers(noise, 40 * 250 * 20, 0, 19);
    for (const DatumType type : {DatumType::i32, DatumType::i64})
      for (const std::int64_t axis : {0, 1, 2}) {
        const Tensor indices = noise.integers(type, picks).reshaped({40, 250, 20});
        check_lowered_threads(GatherElements{axis}, {{data}, {indices}});
        for (const auto kind : {ScatterReduction::none, ScatterReduction::add})
          check_lowered_threads(ScatterElements{axis, kind}, {{data}, {indices}, {updates}});
      }
    check_lowered_threads(Gather{2}, {{data}, {noise.integers(DatumType::i64, {3, -1, 0, 3})}});
    check_lowered_threads(
        Gather{0}, {{noise.tensor(DatumType::f32, {20})}, {noise.integers(DatumType::i64, picks)}});
    for (const std::int64_t time : {0, 2})
      check_lowered_threads(
          ReverseSequence{1, time},
          {{data}, {noise.integers(DatumType::i64, numbers(noise, 300, 0, 20)), true}});
    const Tensor tuples = noise.integers(DatumType::i64, picks).reshaped({20, 5000, 2});
    check_lowered_threads(GatherNd{}, {{data}, {tuples, true}});
    check_lowered_threads(GatherNd{1}, {{data.reshaped({20, 300, 40})}, {tuples, true}});
  }

  TEST_CASE("updates and indices of sizes that do not fit are refused in the run") {
    Noise noise(13);
    const Tensor data = noise.tensor(DatumType::f32, {4, 3});
    const Tensor picks = noise.integers(DatumType::i64, {0, 1, 1, 0}).reshaped({2, 2});
    check_lowered(ScatterElements{}, {{data}, {picks}, {noise.tensor(DatumType::f32, {2, 1})}},
                  "ScatterElementsKernel");
    check_lowered(
        ScatterElements{1},
        {{noise.tensor(DatumType::f32, {1, 3})}, {picks}, {noise.tensor(DatumType::f32, {2, 2})}},
        "ScatterElementsKernel");
    // Batches of 4 and of 2, where one index is left for the other axis.
    check_lowered(GatherNd{1}, {{data}, {picks.reshaped({2, 2, 1}), true}}, "GatherNdKernel");
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
