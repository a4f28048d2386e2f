#include "strata/hir/rules.h"

#include <doctest/doctest.h>

using namespace strata;
using namespace strata::hir;

namespace {

std::vector<const InferenceFact*> pointers_to(const std::vector<InferenceFact>& facts) {
  std::vector<const InferenceFact*> out;
  for (const InferenceFact& fact : facts) out.push_back(&fact);
  return out;
}

/// Rules, and the facts they begin with.
struct Case {
  std::string_view op;
  std::vector<InferenceFact> inputs, outputs;
  Rules rules{op, pointers_to(inputs), pointers_to(outputs)};
  const InferenceFact& input(std::size_t i) const { return rules.now({false, i}); }
};

/// Rules over two inputs and one output that begin with nothing known.
Case blank() { return {"Op", {{}, {}}, {{}}}; }
InferenceFact ranked(std::size_t rank) {
  return InferenceFact::tensor(std::nullopt, PartialShape(rank));
}

}  // namespace

TEST_SUITE("rules") {
  TEST_CASE("an equation of types tells whichever side is unknown") {
    Case given = blank();
    Rules& rules = given.rules;
    rules.require(rules.output(0, "y").dtype == DatumType::i64);
    rules.require(rules.input(0, "x").dtype == rules.output(0, "y").dtype);
    CHECK(given.input(0).dtype == DatumType::i64);
  }

  TEST_CASE("a sum of ranks is solved for the one that is missing") {
    // out.rank == data.rank + indices.rank - 1, as Gather has it
    Case given{"Gather", {ranked(3), {}}, {ranked(4)}};
    Rules& rules = given.rules;
    rules.require(rules.output(0, "y").rank ==
                  rules.input(0, "data").rank + rules.input(1, "indices").rank - 1);
    REQUIRE(given.input(1).shape.has_value());
    CHECK(given.input(1).shape->size() == 2);
  }

  TEST_CASE("ranks that cannot agree are an error") {
    Case given{"Op", {ranked(1), {}}, {ranked(2)}};
    Rules& rules = given.rules;
    CHECK_THROWS_WITH_AS(rules.require(rules.output(0, "y").rank == rules.input(0, "x").rank),
                         doctest::Contains("ranks differ"), Error);
  }

  TEST_CASE("a negative axis counts from the end") {
    Case given{"Op", {ranked(3), {}}, {{}}};
    Rules& rules = given.rules;
    rules.require(rules.input(0, "x").shape[-1] == Dim(7));
    CHECK((*given.input(0).shape)[2] == Dim(7));
  }

  TEST_CASE("an integer is more definite than a symbol") {
    Case given{"Op", {ranked(1), ranked(1)}, {{}}};
    Rules& rules = given.rules;
    rules.require(rules.input(0, "a").shape[0] == Dim::symbol("N"));
    rules.require(rules.input(1, "b").shape[0] == Dim(5));
    rules.require(rules.input(0, "a").shape[0] == rules.input(1, "b").shape[0]);
    CHECK((*given.input(0).shape)[0] == Dim(5));
  }

  TEST_CASE("an input that is missing is named") {
    Case given{"Op", {{}}, {{}}};
    Rules& rules = given.rules;
    CHECK_THROWS_WITH_AS(rules.input(1, "indices"), doctest::Contains("Op lacks its input indices"),
                         Error);
  }
}
