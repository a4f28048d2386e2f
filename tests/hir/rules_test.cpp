#include "strata/hir/rules.h"

#include <doctest/doctest.h>

using namespace strata;
using namespace strata::hir;

namespace {

/// Rules over two inputs and one output that begin with nothing known.
Rules blank() { return Rules("Op", {{}, {}}, {{}}, {true, true}); }
InferenceFact ranked(std::size_t rank) {
  return InferenceFact::tensor(std::nullopt, PartialShape(rank));
}

}  // namespace

TEST_SUITE("rules") {
  TEST_CASE("an equation of types tells whichever side is unknown") {
    Rules rules = blank();
    rules.require(rules.output(0, "y").dtype == DatumType::i64);
    rules.require(rules.input(0, "x").dtype == rules.output(0, "y").dtype);
    CHECK(rules.input_facts()[0].dtype == DatumType::i64);
  }

  TEST_CASE("a sum of ranks is solved for the one that is missing") {
    // out.rank == data.rank + indices.rank - 1, as Gather has it
    Rules rules("Gather", {ranked(3), {}}, {ranked(4)}, {true, true});
    rules.require(rules.output(0, "y").rank ==
                  rules.input(0, "data").rank + rules.input(1, "indices").rank - 1);
    REQUIRE(rules.input_facts()[1].shape.has_value());
    CHECK(rules.input_facts()[1].shape->size() == 2);
  }

  TEST_CASE("ranks that cannot agree are an error") {
    Rules rules("Op", {ranked(1), {}}, {ranked(2)}, {true, true});
    CHECK_THROWS_WITH_AS(rules.require(rules.output(0, "y").rank == rules.input(0, "x").rank),
                         doctest::Contains("ranks differ"), Error);
  }

  TEST_CASE("a negative axis counts from the end") {
    Rules rules("Op", {ranked(3), {}}, {{}}, {true, true});
    rules.require(rules.input(0, "x").shape[-1] == Dim(7));
    CHECK((*rules.input_facts()[0].shape)[2] == Dim(7));
  }

  TEST_CASE("an integer is more definite than a symbol") {
    Rules rules("Op", {ranked(1), ranked(1)}, {{}}, {true, true});
    rules.require(rules.input(0, "a").shape[0] == Dim::symbol("N"));
    rules.require(rules.input(1, "b").shape[0] == Dim(5));
    rules.require(rules.input(0, "a").shape[0] == rules.input(1, "b").shape[0]);
    CHECK((*rules.input_facts()[0].shape)[0] == Dim(5));
  }

  TEST_CASE("an input that is missing is named") {
    Rules rules("Op", {{}}, {{}}, {true});
    CHECK_THROWS_WITH_AS(rules.input(1, "indices"), doctest::Contains("Op lacks its input indices"),
                         Error);
  }
}
