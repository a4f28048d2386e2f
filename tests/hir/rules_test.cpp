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
  const InferenceFact& output() const { return rules.now({true, 0}); }
};

/// Rules over two inputs and one output that begin with nothing known.
Case blank() { return {"Op", {{}, {}}, {{}}}; }
InferenceFact ranked(std::size_t rank) {
  return InferenceFact::tensor(std::nullopt, PartialShape(rank));
}

/// A container of f32[2,?].
InferenceFact holding(ValueType::Kind container) {
  InferenceFact fact;
  fact.kind = container;
  fact.element = std::make_shared<const InferenceFact>(
      InferenceFact::tensor(DatumType::f32, PartialShape{Dim(2), std::nullopt}));
  return fact;
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

  TEST_CASE("a sequence has no element type of its own") {
    InferenceFact typed;
    typed.dtype = DatumType::f32;
    CHECK_THROWS_WITH_AS(unify(holding(ValueType::Kind::sequence), typed),
                         doctest::Contains("only tensors have a type and a shape"), Error);
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

  TEST_CASE("an equation of types leaves the sizes of items open") {
    Case given{"Op", {holding(ValueType::Kind::sequence)}, {{}}};
    Rules& rules = given.rules;
    rules.require(type_equal(rules.output(0, "y"), rules.input(0, "x")));
    CHECK(given.output().to_string() == "sequence(f32[..])");
    CHECK(given.input(0).to_string() == "sequence(f32[2,?])");
  }

  TEST_CASE("a sequence has the type of its items, an optional is what it holds") {
    struct {
      ValueType::Kind container;
      std::string item, whole, equation;
    } const cases[] = {
        {ValueType::Kind::sequence, "f32[..]", "sequence(f32[2,?])",
         "inputs[0].type == sequence(outputs[0].type)"},
        {ValueType::Kind::optional, "f32[2,?]", "optional(f32[2,?])",
         "inputs[0].type == optional(outputs[0].type)"},
    };
    for (const auto& each : cases) {
      Case given{"Op", {holding(each.container)}, {{}}};
      Rules& rules = given.rules;
      Equation holds = type_equal(rules.input(0, "x"), rules.output(0, "y"));
      holds.right.number = static_cast<std::int64_t>(each.container);
      CHECK(holds.to_string() == each.equation);
      rules.require(holds);
      CHECK(given.output().to_string() == each.item);
      CHECK(given.input(0).to_string() == each.whole);
    }
  }

  TEST_CASE("an input that is missing is named") {
    Case given{"Op", {{}}, {{}}};
    Rules& rules = given.rules;
    CHECK_THROWS_WITH_AS(rules.input(1, "indices"), doctest::Contains("Op lacks its input indices"),
                         Error);
  }
}
