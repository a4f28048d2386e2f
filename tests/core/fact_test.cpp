#include "strata/core/fact.h"

#include <doctest/doctest.h>

#include "strata/core/typed_model.h"

using namespace strata;

namespace {

Fact fact(std::vector<Dim> dims) { return Fact::tensor(DatumType::f32, std::move(dims)); }
const Dim kN = Dim::symbol("N");

}  // namespace

TEST_SUITE("fact") {
  TEST_CASE("facts are shown as type and shape") {
    CHECK(fact({kN, 3}).to_string() == "f32[N,3]");
    CHECK(Fact::tensor(DatumType::i64, ShapeFact::open()).to_string() == "i64[..]");
    CHECK(Fact::sequence(fact({2}), Dim(3)).to_string() == "sequence(f32[2], length 3)");
    CHECK(Fact::optional(fact({})).to_string() == "optional(f32[])");
  }

  TEST_CASE("joining keeps what both sides agree on") {
    SymbolScope scope;
    const FreshSymbols fresh(scope);
    CHECK(join(fact({2, 3}), fact({2, 3})).to_string() == "f32[2,3]");
    CHECK(join(fact({2, 3}), fact({2, 4})).to_string() == "f32[2,u0]");
    CHECK(join(fact({2}), fact({2, 3})).shape.is_open());
    CHECK_THROWS_WITH_AS(join(fact({2}), Fact::tensor(DatumType::i64, Shape{2})),
                         doctest::Contains("tensor(f32) is not tensor(i64)"), Error);
  }

  TEST_CASE("meeting keeps the more definite of each part") {
    CHECK(meet(fact({kN, 3}), fact({2, kN})).to_string() == "f32[2,3]");
    CHECK(meet(Fact::tensor(DatumType::f32, ShapeFact::open()), fact({2})).to_string() == "f32[2]");
    CHECK(meet(fact({Dim::symbol("u0")}), fact({kN})).to_string() == "f32[N]");
    const Dim grown = Dim::symbol("u0") + 1, joined = Dim::symbol("u0") + Dim::symbol("u1");
    CHECK(meet(fact({joined}), fact({grown})).to_string() == "f32[u0+1]");
    CHECK(meet(fact({grown}), fact({joined})).to_string() == "f32[u0+1]");
    CHECK_THROWS_WITH_AS(meet(fact({2}), fact({3})), doctest::Contains("[2] contradicts [3]"),
                         Error);
  }

  TEST_CASE("shapes broadcast from the last axis on") {
    SymbolScope scope;
    const FreshSymbols fresh(scope);
    CHECK(broadcast(fact({2, 1}).shape, fact({3}).shape).to_string() == "[2,3]");
    CHECK(broadcast(fact({kN, 1}).shape, fact({kN, 4}).shape).to_string() == "[N,4]");
    CHECK(broadcast(fact({kN}).shape, fact({4}).shape).to_string() == "[4]");
    CHECK(broadcast(ShapeFact::open(), fact({4}).shape).is_open());
    CHECK_THROWS_WITH_AS(broadcast(fact({2}).shape, fact({3}).shape),
                         doctest::Contains("[2] and [3] do not broadcast"), Error);
  }

  TEST_CASE("a symbolic value is known as dims but is no constant") {
    const std::vector<Dim> dims{kN, 3};
    const Fact shape = Fact::of(dims_tensor(dims));
    CHECK(shape.dtype == DatumType::i64);
    CHECK(shape.constant() == nullptr);
    CHECK((shape.dims() == dims));
  }

  TEST_CASE("a shape of no axes is known, and is not an open one") {
    const ShapeFact scalar, open = ShapeFact::open();
    CHECK(scalar.is_known());
    CHECK(scalar.rank() == 0);
    CHECK(scalar == ShapeFact(Shape{}));
    CHECK(scalar == ShapeFact(std::vector<Dim>{}));
    CHECK_FALSE(scalar == open);
    CHECK_FALSE(open == scalar);
    CHECK(open == ShapeFact::open());
    CHECK_FALSE(scalar == ShapeFact(Shape{1}));
    CHECK_THROWS_WITH_AS((void)open.rank(), doctest::Contains("the dims of an open shape"), Error);
    CHECK_THROWS_WITH_AS((void)open.dims(), doctest::Contains("the dims of an open shape"), Error);
  }

  TEST_CASE("a vector of a shape's dims is a copy of them") {
    const ShapeFact shape(Shape{2, 3});
    std::vector<Dim> dims = shape.dims();
    dims[0] = kN;
    CHECK(shape.to_string() == "[2,3]");
    CHECK(ShapeFact(dims).to_string() == "[N,3]");
  }

  TEST_CASE("a constant has one value, which its op and all facts of it share") {
    TypedModel model;
    const OutletId wire = model.constant("c", Tensor::scalar(1.0F));
    const auto& value = model.fact(wire).value;
    CHECK(model.node(wire.node).op.as<Const>()->value == value);
    CHECK(model.fact(model.constant("d", value)).value == value);
  }

  TEST_CASE("two open shapes are the same fact, and may be of tensors of different sizes") {
    const ShapeFact open = ShapeFact::open(), known(Shape{2, 3});
    CHECK(open == ShapeFact::open());
    CHECK_FALSE(surely_equal(open, ShapeFact::open()));
    CHECK_FALSE(surely_equal(known, open));
    CHECK(surely_equal(known, ShapeFact(Shape{2, 3})));
    CHECK_FALSE(surely_equal(known, ShapeFact(Shape{2, 4})));
  }

  TEST_CASE("an axis that a shape has not is refused") {
    CHECK(ShapeFact(Shape{2, 3})[1] == Dim(3));
    CHECK_THROWS_WITH_AS(ShapeFact(Shape{2, 3})[2], "axis 2 of a shape of rank 2 is asked for",
                         Error);
    CHECK_THROWS_WITH_AS(ShapeFact::open()[0], doctest::Contains("open shape"), Error);
  }
}
