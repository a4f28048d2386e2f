#include <doctest/doctest.h>

#include <functional>

#include "kernel_ops/sweep.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unary.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr std::int64_t kDepth = 128;

/// x W + bias, a product of a draft.
struct Draft {
  std::int64_t columns;
  bool biased = false;
  std::function<OutletId(TypedModel&, OutletId)> then = {};
};

/// Products of one x[rows, kDepth] by constant weights, one output each.
TypedModel products(const Dim& rows, const std::vector<Draft>& drafts) {
  TypedModel model;
  const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{rows, Dim(kDepth)}));
  for (const Draft& draft : drafts) {
    const std::string name = cat("y", model.outputs().size());
    const OutletId w = model.constant(name + ".w", uniform_floats({kDepth, draft.columns}));
    OutletId y = model.wire_one(name, MatMul{}, {x, w});
    if (draft.biased)
      y = model.wire_one(name + ".sum", Binary{BinaryOp::add},
                         {y, model.constant(name + ".b", uniform_floats({draft.columns}))});
    if (draft.then) y = draft.then(model, y);
    model.add_output(name + ".out", y);
  }
  return model;
}

/// How many products are left; the outputs must be as before.
std::size_t products_left(TypedModel model, std::int64_t rows = 1) {
  optimise_and_compare(model, {uniform_floats({rows, kDepth})}, "join_products", 1e-5);
  return count_of_op(model, "MatMulKernel");
}

OutletId squashed(TypedModel& model, OutletId x) {
  return model.wire_one(model.unique_name("tanh"), Unary{UnaryOp::tanh}, {x});
}

/// Gives which turn of its step it is run in.
struct TellTurn {
  static constexpr std::string_view name = "TellTurn";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  void run(const KernelIo& io) const noexcept {
    io.outputs[0].as<float>()[0] = static_cast<float>(io.turn);
  }
};
static_assert(OpDef<TellTurn>);

}  // namespace

TEST_SUITE("join products") {
  TEST_CASE("products of a row by several weights are one, with a bias each or none") {
    CHECK(products_left(products(Dim(1), {{512}, {512}, {512}})) == 1);
    CHECK(products_left(products(Dim(1), {{512}, {64}, {256}})) == 1);
    CHECK(products_left(products(Dim(1), {{512, true}, {256, true}})) == 1);
    CHECK(products_left(products(Dim(1), {{512, false, squashed}, {512, false, squashed}})) == 1);
  }

  TEST_CASE("products that differ in more than their weights are not joined") {
    CHECK(products_left(products(Dim(1), {{512}, {512, true}})) == 2);
    CHECK(products_left(products(Dim(1), {{512}, {512, false, squashed}})) == 2);
    CHECK(products_left(products(Dim(1), {{512}, {512}, {512, true}, {512, true}})) == 2);
  }

  TEST_CASE("products of several rows, of few weights or of panels that are not full stay apart") {
    CHECK(products_left(products(Dim(2), {{512}, {512}}), 2) == 2);
    CHECK(products_left(products(Dim::symbol("N"), {{512}, {512}})) == 2);
    CHECK(products_left(products(Dim(1), {{128}, {128}})) == 2);
    CHECK(products_left(products(Dim(1), {{513}, {512}})) == 2);
  }

  TEST_CASE("joined weights are read to and fro, and give the same on any number of threads") {
    TypedModel model = products(Dim(1), {{512, true}, {1024, true}, {512, true}});
    optimise(model);
    const Value x = uniform_floats({1, kDepth});
    Session alone(Plan::build(model));
    const ValueList expected = alone.run({&x, 1});
    for (const std::size_t threads : {1, 2, 3}) {
      Session session(Plan::build(model), SessionOptions{.threads = threads});
      for (int run = 0; run < 3; ++run) CHECK(session.run({&x, 1}) == expected);
    }
  }

  TEST_CASE("a step is told its turn, by which sweeps go to and fro") {
    TypedModel model;
    model.add_output(
        "turn", model.wire_one("turn", TellTurn{}, {model.add_source("x", float_fact(Shape{1}))}));
    Session session(Plan::build(std::move(model)));
    const Value x = floats({0});
    const auto turn = [&] { return session.run({&x, 1})[0].tensor().as<float>()[0]; };
    const float first = turn();
    CHECK(turn() == first + 1);
    CHECK(turn() == first + 2);
    CHECK(sweep_of({.turn = 1}) != sweep_of({.turn = 2}));
    CHECK(sweep_of({.turn = 1}) == sweep_of({.turn = 3}));
  }
}
