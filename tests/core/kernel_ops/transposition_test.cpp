#include "kernel_ops/transposition.h"

#include <doctest/doctest.h>

#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/matmul_kernel.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "support/loop_model.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// a times b, one of them (`which`) transposed by `perm` first.
TypedModel product(const Shape& a, const Shape& b, std::size_t which, const Perm& perm,
                   MatMul op = {}) {
  TypedModel model;
  OutletIds operands{model.add_source("a", float_fact(a)), model.add_source("b", float_fact(b))};
  operands[which] = model.wire_one("transposed", Transpose{perm}, {operands[which]});
  model.add_output("y", model.wire_one("product", op, operands));
  return model;
}

struct Transposed {
  Shape a, b;
  std::size_t which;
  Perm perm;
  MatMul op;
};

/// A decoder's cache: keys [heads, n, 4] grow along axis 1 by scanned rows, and are multiplied with
/// a query in each iteration. With `read_elsewhere`, something else than a product reads them too.
TypedModel cache(bool read_elsewhere) {
  TypedModel body;
  const OutletId keys =
      body.add_source("keys", float_fact(std::vector<Dim>{Dim(3), Dim::symbol("n"), Dim(4)}));
  const OutletId key = body.add_source("key", float_fact(Shape{3, 1, 4})),
                 query = body.add_source("query", float_fact(Shape{3, 1, 4}));
  const OutletId joined = body.wire_one("joined", Concat{1}, {keys, key});
  const OutletId scores = body.wire_one("scores", MatMul{.transpose_b = true}, {query, joined});
  const OutletId seen = body.wire_one("seen", MatMul{}, {scores, joined});
  body.add_output("keys_on", joined);
  body.add_output("seen", seen);
  if (read_elsewhere)
    body.add_output("other", body.wire_one("other", Unary{UnaryOp::neg}, {joined}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried},
                 {LoopInput::Kind::scanned, 1, 1, false},
                 {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 1, false}};
  const Fact start = float_fact(std::vector<Dim>{Dim(3), Dim::symbol("start"), Dim(4)});
  return model_of(loop, {start, float_fact(Shape{3, 20, 4}), float_fact(Shape{3, 1, 4})}, {0, 1});
}

/// A cache like that, which nothing reads, and what it was an iteration before.
TypedModel delayed_cache() {
  TypedModel body;
  const auto open = [](const char* size) {
    return float_fact(std::vector<Dim>{Dim(3), Dim::symbol(size), Dim(4)});
  };
  const OutletId keys = body.add_source("keys", open("n"));
  body.add_source("before", open("m"));
  const OutletId key = body.add_source("key", float_fact(Shape{3, 1, 4}));
  body.add_output("keys_on", body.wire_one("joined", Concat{1}, {keys, key}));
  body.add_output("before_on", keys);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried},
                 {LoopInput::Kind::carried},
                 {LoopInput::Kind::scanned, 1, 1, false}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::last, 1}};
  return model_of(loop, {open("start"), open("start"), float_fact(Shape{3, 20, 4})}, {0, 1});
}

}  // namespace

TEST_SUITE("transpositions in kernels") {
  TEST_CASE("permutations are inverted and composed") {
    CHECK(inverse({2, 0, 1}) == Perm{1, 2, 0});
    CHECK(composed({2, 0, 1}, {1, 2, 0}) == Perm{0, 1, 2});
    CHECK(keeps_lines({1, 0, 2}));
    CHECK(keeps_lines({0, 2, 1}));
    CHECK_FALSE(keeps_lines({2, 0, 1}));
    CHECK_FALSE(keeps_lines({0}));
  }

  TEST_CASE("products in a row that have one right operand") {
    Reals reals;
    const auto some = [&](const Shape& shape) { return KernelOperand{reals(shape)}; };
    for (const std::int64_t rows : {1, 3, 13})
      for (const std::int64_t columns : {1, 14, 33}) {
        check_lowered(MatMul{}, {some({4, 5, rows, 40}), some({4, 1, 40, columns})}, "MatMulKernel",
                      {1e-5, 1e-5});
        check_lowered(MatMul{.transpose_b = true}, {some({4, 5, rows, 40}), some({columns, 40})},
                      "MatMulKernel", {1e-5, 1e-5});
      }
  }

  TEST_CASE("a product reads a transposed operand where it lies") {
    const std::vector<Transposed> cases = {
        {{5, 7}, {9, 7}, 1, {1, 0}, {}},
        {{7, 5}, {7, 9}, 0, {1, 0}, {}},
        {{3, 1, 4}, {6, 3, 4}, 1, {1, 2, 0}, {}},
        {{3, 5, 4}, {6, 3, 4}, 1, {1, 0, 2}, {false, true}},
        {{5, 3, 4}, {3, 4, 6}, 0, {1, 0, 2}, {}},
        {{2, 5, 3, 4}, {2, 1, 4, 6}, 0, {0, 2, 1, 3}, {}},
        {{3, 6, 4}, {6, 3, 5}, 1, {1, 0, 2}, {true, false}},
        {{5, 7}, {9, 7}, 1, {}, {}},
    };
    for (const Transposed& c : cases) {
      TypedModel model = product(c.a, c.b, c.which, c.perm, c.op);
      const ValueList inputs{uniform_floats(c.a), uniform_floats(c.b)};
      CHECK(optimise_and_compare(model, inputs, "absorb_transpose") == 1);
    }
  }

  TEST_CASE("rows and columns torn apart are put together first") {
    TypedModel torn = product({2, 3, 4}, {5, 4, 2}, 1, {2, 1, 0});
    CHECK(optimise_and_compare(torn, {uniform_floats({2, 3, 4}), uniform_floats({5, 4, 2})},
                               "absorb_transpose") == 0);
  }

  TEST_CASE("a transposition that others read too is done once") {
    TypedModel model = product({5, 7}, {9, 7}, 1, {1, 0});
    model.add_output("transposed", model.node(model.outputs()[0].outlet.node).inputs[1]);
    CHECK(optimise_and_compare(model, {uniform_floats({5, 7}), uniform_floats({9, 7})},
                               "absorb_transpose") == 0);
  }

  TEST_CASE("moving axes of size 1 copies nothing") {
    const auto transposed = [](const Shape& shape, const Perm& perm) {
      TypedModel model;
      const OutletId x = model.add_source("x", float_fact(shape));
      model.add_output("y", model.wire_one("y", Transpose{perm}, {x}));
      return optimise_and_compare(model, {uniform_floats(shape)}, "view_transpose");
    };
    CHECK(transposed({1, 3, 4}, {1, 0, 2}) == 1);
    CHECK(transposed({3, 1, 4, 1}, {3, 0, 2, 1}) == 1);
    CHECK(transposed({1, 1}, {1, 0}) == 1);
    CHECK(transposed({2, 3, 4}, {1, 0, 2}) == 0);
    CHECK(transposed({1, 3, 4}, {0, 2, 1}) == 0);
  }

  TEST_CASE("a cache that only products read grows in front") {
    for (const std::int64_t start : {0, 5}) {
      TypedModel model = cache(false);
      const ValueList inputs{uniform_floats({3, start, 4}), uniform_floats({3, 20, 4}),
                             uniform_floats({3, 1, 4})};
      CHECK(optimise_and_compare(model, inputs, "grow_in_front") == 1);
      REQUIRE(loop_of(model) != nullptr);
      const Fact& keys = loop_of(model)->body->input_fact(0);
      CHECK(keys.shape[1] == Dim(3));
      CHECK(keys.shape[2] == Dim(4));
    }
  }

  TEST_CASE("a cache that something else reads stays as it lies") {
    TypedModel model = cache(true);
    const ValueList inputs{uniform_floats({3, 2, 4}), uniform_floats({3, 20, 4}),
                           uniform_floats({3, 1, 4})};
    CHECK(optimise_and_compare(model, inputs, "grow_in_front") == 0);
  }

  TEST_CASE("a cache that is handed on as it was stays as it lies") {
    TypedModel model = delayed_cache();
    const Tensor start = uniform_floats({3, 2, 4});
    CHECK(optimise_and_compare(model, {start, start, uniform_floats({3, 20, 4})},
                               "grow_in_front") == 0);
  }
}
