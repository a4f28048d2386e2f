#include <doctest/doctest.h>

#include <functional>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/concat_from_sequence.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/sequence_erase.h"
#include "strata/core/ops/sequence_insert.h"
#include "strata/core/ops/sequence_length.h"
#include "strata/core/ops/split_to_sequence.h"
#include "support/rule_count.h"

using namespace strata;
using namespace strata::tests;

namespace {

const Value kEmpty = Sequence{ValueType::tensor(DatumType::f32), {}};

/// What wires of a model with f32[2] inputs a and b and i64 input i are made into.
using Build = std::function<OutletId(TypedModel&, OutletId a, OutletId b, OutletId i)>;

TypedModel model_of(const Build& build) {
  TypedModel model;
  const OutletId a = model.add_source("a", float_fact(Shape{2})),
                 b = model.add_source("b", float_fact(Shape{2})),
                 i = model.add_source("i", Fact::tensor(DatumType::i64, Shape{}));
  model.add_output("out", build(model, a, b, i));
  return model;
}

const ValueList kInputs{floats({1, 2}), floats({3, 4}), integer(0)};

bool has_sequences(const TypedModel& model) {
  for (const TypedNode& node : model.nodes())
    for (const auto& outlet : node.outputs)
      if (outlet.fact.kind == ValueType::Kind::sequence) return true;
  return false;
}

/// Checks that no sequence is left, and the result.
void check_gone(const Build& build, const Value& expected) {
  TypedModel model = model_of(build);
  CHECK(firings_of(model, {kInputs}, "sequences_as_wires") > 0);
  CHECK_FALSE(has_sequences(model));
  check_close(run_model(model, kInputs)[0], expected);
}

void check_stays(const Build& build) {
  TypedModel model = model_of(build);
  CHECK(firings_of(model, {kInputs}, "sequences_as_wires") == 0);
  CHECK(has_sequences(model));
}

OutletId pair(TypedModel& model, OutletId a, OutletId b) {
  return model.wire_one("pair", SequenceConstruct{}, {a, b});
}
OutletId position(TypedModel& model, std::int64_t at) {
  return model.constant(model.unique_name("position"), integer(at));
}
OutletId item(TypedModel& model, OutletId sequence, std::int64_t at) {
  return model.wire_one("item", SequenceAt{}, {sequence, position(model, at)});
}

Tensor matrix(std::initializer_list<float> values) { return Tensor::of<float>({2, 2}, values); }

}  // namespace

TEST_SUITE("sequences as wires") {
  TEST_CASE("an item of a sequence that something is put into") {
    struct Case {
      std::optional<std::int64_t> position;
      std::int64_t read;
      float first;
    };
    // (a, b) with 2a put in: at the end, at 0, at 1, before the last, before the first.
    for (const Case& c : {Case{std::nullopt, 2, 2}, Case{0, 0, 2}, Case{0, 1, 1}, Case{1, 1, 2},
                          Case{2, -1, 2}, Case{-1, 1, 2}, Case{-2, 0, 2}, Case{-2, -1, 3}}) {
      TypedModel model = model_of([&](TypedModel& m, OutletId a, OutletId b, OutletId) {
        OutletIds inputs{pair(m, a, b), m.wire_one("twice", Binary{BinaryOp::add}, {a, a})};
        if (c.position) inputs.push_back(position(m, *c.position));
        return item(m, m.wire_one("insert", SequenceInsert{}, inputs), c.read);
      });
      CHECK(firings_of(model, {kInputs}, "sequences_as_wires") == 1);
      CHECK_FALSE(has_sequences(model));
      CHECK(run_model(model, kInputs)[0].tensor().as<float>()[0] == c.first);
    }
  }

  TEST_CASE("a sequence that begins empty") {
    check_gone(
        [](TypedModel& m, OutletId a, OutletId b, OutletId) {
          OutletId s = m.constant("empty", kEmpty);
          for (const OutletId x : {a, b}) s = m.wire_one("insert", SequenceInsert{}, {s, x});
          return item(m, s, 1);
        },
        floats({3, 4}));
  }

  TEST_CASE("an item of a sequence that something is taken out of") {
    for (const std::int64_t at : {0, -2})
      check_gone(
          [&](TypedModel& m, OutletId a, OutletId b, OutletId) {
            return item(m, m.wire_one("erase", SequenceErase{}, {pair(m, a, b), position(m, at)}),
                        0);
          },
          floats({3, 4}));
    check_gone(
        [](TypedModel& m, OutletId a, OutletId b, OutletId) {
          return item(m, m.wire_one("erase", SequenceErase{}, {pair(m, a, b)}), 0);
        },
        floats({1, 2}));
  }

  TEST_CASE("the length of a sequence of known items") {
    TypedModel model = model_of([](TypedModel& m, OutletId a, OutletId b, OutletId) {
      const OutletId more = m.wire_one("insert", SequenceInsert{}, {pair(m, a, b), a});
      return m.wire_one("length", SequenceLength{}, {more});
    });
    declutter(model);
    CHECK_FALSE(has_sequences(model));
    check_close(run_model(model, kInputs)[0], integer(3));
  }

  TEST_CASE("the only item taken out leaves an empty sequence") {
    TypedModel model = model_of([](TypedModel& m, OutletId a, OutletId, OutletId) {
      return m.wire_one("erase", SequenceErase{}, {m.wire_one("single", SequenceConstruct{}, {a})});
    });
    CHECK(firings_of(model, {kInputs}, "sequences_as_wires") == 1);
    CHECK(count_of<SequenceErase>(model) == 0);
    CHECK(run_model(model, kInputs)[0] == kEmpty);
  }

  TEST_CASE("joins become concatenations") {
    const auto join = [](ConcatFromSequence op) {
      return [=](TypedModel& m, OutletId a, OutletId b, OutletId) {
        return m.wire_one("join", op, {pair(m, a, b)});
      };
    };
    check_gone(join({0, SequenceJoin::existing_axis}), floats({1, 2, 3, 4}));
    check_gone(join({-1, SequenceJoin::existing_axis}), floats({1, 2, 3, 4}));
    check_gone(join({0, SequenceJoin::new_axis}), matrix({1, 2, 3, 4}));
    check_gone(join({1, SequenceJoin::new_axis}), matrix({1, 3, 2, 4}));
    check_gone(join({-1, SequenceJoin::new_axis}), matrix({1, 3, 2, 4}));
  }

  TEST_CASE("items of unknown rank are joined as a sequence") {
    TypedModel model;
    const OutletId a = model.add_source("a", float_fact(ShapeFact::open()));
    const OutletId twice = model.wire_one("twice", SequenceConstruct{}, {a, a});
    model.add_output("out", model.wire_one("join", ConcatFromSequence{0}, {twice}));
    CHECK(firings_of(model, {{floats({1, 2})}}, "sequences_as_wires") == 0);
  }

  TEST_CASE("an item of a tensor that is cut becomes a slice") {
    struct Case {
      std::string name;
      std::optional<Tensor> sizes;
      bool keep_axis;
      std::int64_t read;
      Tensor expected;
    };
    const std::vector<Case> cases{
        {"ones, kept", std::nullopt, true, 1, Tensor::of<float>({1}, {2})},
        {"ones, the axis taken out", std::nullopt, false, -1, Tensor::scalar<float>(4)},
        {"equal parts", integer(2), true, 1, floats({3, 4})},
        {"equal parts, keep_axis does not matter", integer(2), false, 1, floats({3, 4})},
        {"parts of one, kept", integer(1), true, 1, Tensor::of<float>({1}, {2})},
        {"parts of one, the axis taken out", integer(1), false, 1, Tensor::scalar<float>(2)},
        {"a smaller last part", integer(3), true, 1, floats({4})},
        {"sizes", Tensor::of<std::int64_t>({3}, {1, 0, 3}), true, 2, floats({2, 3, 4})},
        {"an empty part", Tensor::of<std::int64_t>({3}, {1, 0, 3}), true, -2, floats({})},
    };
    for (const Case& c : cases) {
      CAPTURE(c.name);
      check_gone(
          [&](TypedModel& m, OutletId a, OutletId b, OutletId) {
            OutletIds inputs{m.wire_one("whole", Concat{0}, {a, b})};
            if (c.sizes) inputs.push_back(m.constant("sizes", *c.sizes));
            return item(m, m.wire_one("cut", SplitToSequence{0, c.keep_axis}, inputs), c.read);
          },
          c.expected);
    }
  }

  TEST_CASE("positions that only the run tells stay") {
    check_stays([](TypedModel& m, OutletId a, OutletId b, OutletId i) {
      return m.wire_one("item", SequenceAt{}, {pair(m, a, b), i});
    });
    check_stays([](TypedModel& m, OutletId a, OutletId b, OutletId i) {
      return item(m, m.wire_one("insert", SequenceInsert{}, {pair(m, a, b), a, i}), 0);
    });
    check_stays([](TypedModel& m, OutletId a, OutletId b, OutletId i) {
      return item(m, m.wire_one("erase", SequenceErase{}, {pair(m, a, b), i}), 0);
    });
    check_stays([](TypedModel& m, OutletId a, OutletId, OutletId i) {
      return m.wire_one("item", SequenceAt{}, {m.wire_one("cut", SplitToSequence{}, {a}), i});
    });
  }

  TEST_CASE("a tensor of unknown length that is cut stays") {
    TypedModel model;
    const OutletId a = model.add_source("a", float_fact(std::vector<Dim>{Dim::symbol("N")}));
    const OutletId cut = model.wire_one("cut", SplitToSequence{}, {a});
    model.add_output("out", item(model, cut, 0));
    CHECK(firings_of(model, {{floats({5, 6})}}, "sequences_as_wires") == 0);
  }

  TEST_CASE("what fails in the run is left to fail there") {
    const auto outside = [](TypedModel& m, OutletId a, OutletId b, OutletId) {
      return item(m, m.wire_one("insert", SequenceInsert{}, {pair(m, a, b), a, position(m, 3)}), 0);
    };
    TypedModel model = model_of(outside);
    CHECK(declutter(model).firings.count("sequences_as_wires") == 0);
    CHECK_THROWS_WITH_AS(run_model(model, kInputs),
                         doctest::Contains("(C4) position 3 is outside a sequence of 2"), Error);

    TypedModel uneven = model_of([](TypedModel& m, OutletId a, OutletId, OutletId) {
      const OutletId wide = m.wire_one("wide", Concat{0}, {a, a});
      return m.wire_one("join", ConcatFromSequence{0, SequenceJoin::new_axis}, {pair(m, a, wide)});
    });
    declutter(uneven);
    CHECK_THROWS_WITH_AS(run_model(uneven, kInputs),
                         doctest::Contains("(C4) [1,2] does not join [1,4]"), Error);
  }
}
