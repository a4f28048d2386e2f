#include "strata/core/patch.h"

#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/non_zero.h"
#include "support/counting_ops.h"

using namespace strata;
using namespace strata::tests;

namespace {

struct Chain {
  TypedModel model;
  OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
  OutletId a = model.wire_one("a", Increment{}, {x});
  OutletId b = model.wire_one("b", Increment{}, {a});
  Chain() { model.add_output("y", b); }
};

}  // namespace

TEST_SUITE("patch") {
  TEST_CASE("a shunted node goes, and what it alone read goes with it") {
    Chain chain;
    Patch patch(NodeView{chain.model, chain.b.node});
    patch.shunt(chain.b, patch.wire_one("", Alias{}, {chain.x}));
    patch.apply(chain.model);
    chain.model.verify();
    CHECK(chain.model.live_nodes() == 2);
    CHECK(chain.model.node(chain.model.outputs()[0].outlet.node).name == "b");
  }

  TEST_CASE("a node replaced output for output keeps its place and name") {
    Chain chain;
    replace(NodeView{chain.model, chain.b.node}, Alias{}, {chain.x})->apply(chain.model);
    chain.model.verify();
    const TypedNode& node = chain.model.node(chain.b.node);
    CHECK(node.op.as<Alias>() != nullptr);
    CHECK(node.name == "b");
    CHECK(chain.model.outputs()[0].outlet == chain.b);
    CHECK(chain.model.node(chain.a.node).erased);
    CHECK(chain.model.nodes().size() == 3);
  }

  TEST_CASE("a kernel takes over the facts of the node it stands for") {
    Chain chain;
    const Fact before = chain.model.fact(chain.b);
    replace(NodeView{chain.model, chain.b.node}, IncrementKernel{}, {chain.a})->apply(chain.model);
    CHECK(chain.model.node(chain.b.node).op.as<IncrementKernel>() != nullptr);
    CHECK(chain.model.fact(chain.b).is_same(before));
  }

  TEST_CASE("a patch whose facts contradict the model changes nothing") {
    Chain chain;
    Patch patch(NodeView{chain.model, chain.b.node});
    patch.shunt(chain.b, patch.wire_one("", Concat{0}, {chain.x, chain.x}));
    CHECK_THROWS_WITH_AS(patch.apply(chain.model), doctest::Contains("changes f32[2] to f32[4]"),
                         Error);
    chain.model.verify();
    CHECK(chain.model.live_nodes() == 3);
  }

  TEST_CASE("a fact that the op does not give is the model's own mistake") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{3}));
    const OutletId places = model.wire_one("places", NonZero{}, {x});
    model.add_output("y", places);
    model.set_fact(places, Fact::tensor(DatumType::i64, Shape{1, 3}));
    Patch patch(NodeView{model, places.node});
    patch.shunt(places, patch.constant("two", Tensor::of<std::int64_t>({1, 2}, {0, 2})));
    CHECK_THROWS_WITH_AS(patch.apply(model), "output 0 is i64[1,2], the model says i64[1,3]",
                         Error);
    model.verify();
    CHECK(model.live_nodes() == 2);
  }

  TEST_CASE("dead nodes go, with all that they alone read, but the model's inputs stay") {
    Chain chain;
    chain.model.add_source("unread", Fact::tensor(DatumType::f32, Shape{2}));
    const OutletId dead = chain.model.wire_one("dead", Increment{}, {chain.a});
    chain.model.wire_one("deader", Concat{0}, {dead, dead});
    chain.model.remove_dead_nodes();
    chain.model.compact();
    chain.model.verify();
    REQUIRE(chain.model.nodes().size() == 4);
    CHECK(chain.model.node(3).name == "unread");
    CHECK(chain.model.successors({1, 0}).size() == 1);
  }

  TEST_CASE("compact numbers nodes in evaluation order and keeps names") {
    Chain chain;
    Patch patch(NodeView{chain.model, chain.a.node});
    patch.shunt(chain.a, patch.wire_one("", Alias{}, {chain.x}));
    patch.apply(chain.model);
    chain.model.compact();
    chain.model.verify();
    REQUIRE(chain.model.nodes().size() == 3);
    CHECK(chain.model.node(0).name == "x");
    CHECK(chain.model.node(1).name == "a");
    CHECK(chain.model.node(2).name == "b");
  }

  TEST_CASE("two nodes of one name are refused") {
    TypedModel model;
    model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
    CHECK_THROWS_WITH_AS(model.add_source("x", Fact::tensor(DatumType::f32, Shape{2})),
                         doctest::Contains("two nodes are named"), Error);
  }
}
