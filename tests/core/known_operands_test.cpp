#include "known_operands.h"

#include <doctest/doctest.h>

#include "core/kernel_ops/on_threads.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/unary.h"
#include "strata/core/transform.h"
#include "support/node_counter.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// y = op(relu(x), operand), whose operand only the run tells.
TypedModel model_of(TypedOp op, const Fact& x, const Fact& operand) {
  TypedModel model;
  const OutletId source = model.add_source("x", x);
  const OutletId relu = model.wire_one("relu", Unary{UnaryOp::relu}, {source});
  model.add_output(
      "y", model.wire_one("op", std::move(op), {relu, model.add_source("operand", operand)}));
  return model;
}

TypedModel with_kernels(TypedModel model) {
  optimise(model);
  return model;
}

TypedModel reduction() {
  return model_of(Reduce{.op = Reduction::max}, Fact::tensor(DatumType::f32, Shape{4, 32, 16}),
                  Fact::tensor(DatumType::i64, Shape{1}));
}

/// What the op itself makes of relu(x).
Value expected(const TypedOp& op, const Tensor& x, const Tensor& operand) {
  const ValueList relu = TypedOp(Unary{UnaryOp::relu}).eval(ValueList{x});
  return op.eval(ValueList{relu[0], operand})[0];
}

}  // namespace

TEST_SUITE("known operands") {
  TEST_CASE("operands that come again give an op its kernel, others its own results") {
    Reals reals;
    const Reduce op{.op = Reduction::max};
    Session session(Plan::build(with_kernels(reduction())));
    for (int round = 0; round < 3; ++round)
      for (const std::int64_t axis : {0, 2, -2})
        for (int times = 0; times < 4; ++times) {
          const Tensor x = reals({4, 32, 16}), axes = Tensor::of<std::int64_t>({1}, {axis});
          NodeCounter kernels("ReduceKernel");
          const ValueList in{x, axes};
          CHECK((run(session, in, kernels)[0] == expected(op, x, axes)));
          CHECK(kernels.count == (round > 0 || times >= 2 ? 1 : 0));
        }
  }

  TEST_CASE("there are kernels for a few operands, and then for no more") {
    Reals reals;
    const Tensor x = reals({4, 32, 16});
    Session session(Plan::build(with_kernels(reduction())));
    NodeCounter kernels("ReduceKernel");
    for (const std::int64_t axis : {0, 1, 2, -1, -2, -3})
      for (int times = 0; times < 3; ++times)
        (void)run(session, {x, Tensor::of<std::int64_t>({1}, {axis})}, kernels);
    CHECK(kernels.count == 4);
  }

  TEST_CASE("an operand that is written anew in its place is another one") {
    Reals reals;
    const Tensor x = reals({4, 32, 16});
    std::int64_t axis = 0;
    const Tensor axes =
        Tensor::borrowed(DatumType::i64, {1}, reinterpret_cast<const std::byte*>(&axis), nullptr);
    Session session(Plan::build(with_kernels(reduction())));
    for (axis = 0; axis < 3; ++axis)
      for (int times = 0; times < 4; ++times)
        CHECK((session.run(ValueList{x, axes})[0] ==
               expected(Reduce{.op = Reduction::max}, x, Tensor::of<std::int64_t>({1}, {axis}))));
  }

  TEST_CASE("an image is resized by scales that come again") {
    Reals reals;
    const Resize op{.mode = ResizeMode::linear};
    const Shape image{1, 3, 20, 30};
    Session session(Plan::build(with_kernels(model_of(op, Fact::tensor(DatumType::f32, image),
                                                      Fact::tensor(DatumType::f32, Shape{4})))));
    const Tensor scales = Tensor::of<float>({4}, {1, 1, 2, 0.5F});
    NodeCounter kernels("ResizeKernel");
    for (int times = 0; times < 4; ++times) {
      const Tensor x = reals(image);
      const Value y = run(session, {x, scales}, kernels)[0];
      check_close(y, expected(op, x, scales));
    }
    CHECK(kernels.count == 2);
  }

  TEST_CASE("operands that the op refuses are refused each time") {
    Reals reals;
    const Tensor x = reals({4, 32, 16}), axes = Tensor::of<std::int64_t>({1}, {3});
    Session session(Plan::build(with_kernels(reduction())));
    for (int times = 0; times < 5; ++times)
      CHECK_THROWS_WITH_AS(session.run(ValueList{x, axes}),
                           doctest::Contains("axis 3 is outside rank 3"), Error);
  }

  TEST_CASE("a model without kernels stays as it is") {
    Reals reals;
    Session session(Plan::build(reduction()));
    NodeCounter kernels("ReduceKernel");
    const ValueList in{reals({4, 32, 16}), Tensor::of<std::int64_t>({1}, {1})};
    for (int times = 0; times < 4; ++times) (void)run(session, in, kernels);
    CHECK(kernels.count == 0);
  }
}
