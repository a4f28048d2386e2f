#include <doctest/doctest.h>

#include "deferred_tensor.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unary.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// One scalar function after a linear op: its operand, and on which side that stands.
struct Follower {
  BinaryOp op;
  Shape shape;
  bool comes_first = false;
};

struct Case {
  std::string name;
  TypedOp op;
  Shape x, weights;
  Shape bias;  ///< empty: none
  std::vector<Follower> followers;
  std::size_t nodes;  ///< live ones afterwards: with all folded, x, weights, bias and the kernel
};

TypedModel model_of(const Case& c, Noise& noise, ValueList& inputs) {
  TypedModel model;
  inputs.push_back(noise.tensor(DatumType::f32, c.x));
  OutletIds wires{model.add_source("x", float_fact(c.x)),
                  model.constant("w", noise.tensor(DatumType::f32, c.weights))};
  if (!c.bias.empty()) wires.push_back(model.constant("b", noise.tensor(DatumType::f32, c.bias)));
  OutletId last = model.wire_one("linear", c.op, wires);
  for (std::size_t i = 0; i < c.followers.size(); ++i) {
    const Follower& f = c.followers[i];
    Tensor operand = noise.tensor(DatumType::f32, f.shape);
    if (f.op == BinaryOp::div) operand = Tensor::of<float>(f.shape, std::vector<float>{2, 4, 0.5F});
    const OutletId other = model.constant(cat("c", i), operand);
    last = model.wire_one(cat("f", i), Binary{f.op},
                          f.comes_first ? OutletIds{other, last} : OutletIds{last, other});
  }
  model.add_output("y", last);
  return model;
}

}  // namespace

TEST_SUITE("fold affine") {
  TEST_CASE("factors and terms of channels become part of constant weights") {
    const Shape image{2, 4, 6, 5}, kernel{3, 4, 3, 3}, channels{1, 3, 1, 1};
    const std::vector<Case> cases{
        {"batch normalization",
         Conv{},
         image,
         kernel,
         {},
         {{BinaryOp::mul, channels}, {BinaryOp::add, channels}},
         4},
        {"with a bias",
         Conv{},
         image,
         kernel,
         {3},
         {{BinaryOp::mul, {3, 1, 1}}, {BinaryOp::add, {3, 1, 1}, true}},
         4},
        {"scalars",
         Conv{},
         image,
         kernel,
         {3},
         {{BinaryOp::mul, {}, true}, {BinaryOp::sub, {1}}},
         4},
        {"a quotient", Conv{}, image, kernel, {3}, {{BinaryOp::div, channels}}, 4},
        {"groups",
         Conv{.group = 3},
         {2, 3, 6, 5},
         {3, 1, 3, 3},
         {},
         {{BinaryOp::mul, channels}, {BinaryOp::sub, channels}},
         4},
        {"one axis",
         Conv{},
         {1, 4, 9},
         {3, 4, 2},
         {},
         {{BinaryOp::mul, {3, 1}}, {BinaryOp::add, {3, 1}}},
         4},
        {"product of matrices",
         MatMul{},
         {2, 5, 4},
         {4, 3},
         {},
         {{BinaryOp::mul, {3}}, {BinaryOp::add, {3}}},
         4},
        {"transposed product",
         MatMul{.transpose_b = true},
         {5, 4},
         {3, 4},
         {},
         {{BinaryOp::mul, {1, 3}}},
         3},
        {"along another axis", Conv{}, image, kernel, {}, {{BinaryOp::mul, {1, 1, 4, 1}}}, 5},
        {"rows of a product", MatMul{}, {3, 4}, {4, 3}, {}, {{BinaryOp::mul, {3, 1}}}, 5},
        {"one more axis", MatMul{}, {5, 4}, {4, 3}, {}, {{BinaryOp::mul, {1, 1, 3}}}, 5},
        {"a number of more axes", Conv{}, image, kernel, {}, {{BinaryOp::add, {1, 1, 1, 1, 1}}}, 5},
        {"the reciprocal", Conv{}, image, kernel, {}, {{BinaryOp::div, {1, 3, 1, 1}, true}}, 5},
        {"a term before", Conv{}, image, kernel, {}, {{BinaryOp::sub, channels, true}}, 5},
    };
    Noise noise(1);
    for (const Case& c : cases) {
      CAPTURE(c.name);
      ValueList inputs;
      TypedModel model = model_of(c, noise, inputs);
      TypedModel lowered = model;
      optimise(lowered);
      CHECK(lowered.live_nodes() == c.nodes);
      if (c.name == "the reciprocal") continue;  // of numbers that may be 0
      check_close(run_model(lowered, inputs)[0], run_model(model, inputs)[0], 1e-4, 1e-3);
    }
  }

  TEST_CASE("weights and products that others read stay") {
    Noise noise(2);
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1, 2, 5, 5})),
                   w = model.constant("w", noise.tensor(DatumType::f32, {3, 2, 3, 3})),
                   c = model.constant("c", noise.tensor(DatumType::f32, {3, 1, 1}));
    const OutletId y = model.wire_one("conv", Conv{}, {x, w});
    model.add_output("raw", y);
    model.add_output("scaled", model.wire_one("scaled", Binary{BinaryOp::mul}, {y, c}));
    const Value input = noise.tensor(DatumType::f32, {1, 2, 5, 5});
    const ValueList expected = run_model(model, {&input, 1});
    const RewriteReport report = optimise(model);
    CHECK(!report.firings.contains("fold_scale"));
    const ValueList actual = run_model(model, {&input, 1});
    for (std::size_t i = 0; i < 2; ++i) check_close(actual[i], expected[i], 1e-4, 1e-4);
  }

  TEST_CASE("a factor that would overflow the weights stays") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{1, 1, 1})),
                   w = model.constant("w", Tensor::of<float>({1, 1, 1}, {1e30F})),
                   c = model.constant("c", Tensor::scalar(1e30F));
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::mul},
                                         {model.wire_one("conv", Conv{}, {x, w}), c}));
    CHECK(!optimise(model).firings.contains("fold_scale"));
    const Value input = Tensor::of<float>({1, 1, 1}, {1e-30F});
    CHECK(number_at(run_model(model, {&input, 1})[0].tensor(), 0) == doctest::Approx(1e30));
  }

  TEST_CASE("large weights that a factor would overflow stay") {
    const Shape kernel{64, 64, 3, 3};  // enough for what is computed later
    for (const float factor : {1e30F, 1.0F}) {
      CAPTURE(factor);
      MutableTensor weights = MutableTensor::zeros(DatumType::f32, kernel);
      weights.as<float>()[77] = 1e30F;
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(Shape{1, 64, 3, 3})),
                     w = model.constant("w", std::move(weights).freeze()),
                     c = model.constant("c", Tensor::scalar(factor));
      model.add_output("y", model.wire_one("y", Binary{BinaryOp::mul},
                                           {model.wire_one("conv", Conv{}, {x, w}), c}));
      CHECK(optimise(model).firings.contains("fold_scale") == (factor == 1));
    }
  }

  TEST_CASE("weights that are one number are scaled before somebody spreads it") {
    for (const float factor : {1e30F, -2.0F}) {
      CAPTURE(factor);
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(Shape{1, 64, 3, 3})),
                     number = model.constant("number", Tensor::scalar(1e30F)),
                     shape = model.constant("shape", Tensor::of<std::int64_t>({4}, {3, 64, 3, 3})),
                     w = model.wire_one("w", Expand{}, {number, shape}),
                     c = model.constant("c", Tensor::scalar(factor));
      model.add_output("y", model.wire_one("y", Binary{BinaryOp::mul},
                                           {model.wire_one("conv", Conv{}, {x, w}), c}));
      model.add_output("w", w);
      declutter(model);
      const Tensor spread = *model.output_fact(1).constant();
      CHECK(is_deferred(spread));
      const bool fits = factor == -2;
      CHECK(optimise(model).firings.contains("fold_scale") == fits);
      CHECK(is_deferred(spread) == fits);
    }
  }

  TEST_CASE("large weights are scaled and packed when they are first read") {
    Noise noise(5);
    const auto eighths = [&](const Shape& shape, std::int64_t least, std::int64_t most) {
      MutableTensor out(DatumType::f32, shape);
      for (float& each : out.as<float>()) each = static_cast<float>(noise.number(least, most)) / 8;
      return std::move(out).freeze();
    };
    const Shape image{1, 64, 9, 8};
    for (const Shape& kernel : {Shape{72, 64, 3, 3}, Shape{72, 64, 2, 2}, Shape{72, 64, 1, 4}})
      for (const BinaryOp op : {BinaryOp::mul, BinaryOp::div}) {
        CAPTURE(kernel[2]);
        TypedModel model;
        const OutletId x = model.add_source("x", float_fact(image)),
                       w = model.constant("w", eighths(kernel, -8, 8)),
                       c = model.constant("c", eighths({72, 1, 1}, 4, 16));
        model.add_output(
            "y", model.wire_one("y", Binary{op}, {model.wire_one("conv", Conv{}, {x, w}), c}));
        const Value input = eighths(image, -8, 8);
        const ValueList expected = run_model(model, {&input, 1});
        CHECK(optimise(model).firings.contains("fold_scale"));
        for (const std::size_t threads : {1, 2}) {
          Session session(Plan::build(TypedModel(model)), SessionOptions{.threads = threads});
          check_close(session.run({&input, 1})[0], expected[0], 1e-4, 2e-3);
        }
      }
  }
}
