#include <doctest/doctest.h>

#include <array>

#include "core/session_cases.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/non_zero.h"
#include "strata/core/ops/optional_of.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/transform.h"
#include "support/allocations.h"

using namespace strata;
using namespace strata::tests;

namespace {

using Memory = std::span<std::byte>;

template <std::size_t N>
Memory bytes_of(std::array<float, N>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// A tensor that lies in the first `count` of these numbers.
template <std::size_t N>
Tensor lent(const std::array<float, N>& values, std::int64_t count = N) {
  return Tensor::borrowed(DatumType::f32, {count},
                          reinterpret_cast<const std::byte*>(values.data()), nullptr);
}

/// Runs with one input, and memory for the one output.
Tensor run(Session& session, const Tensor& input, Memory memory) {
  const Value x = input;
  return session.run({&x, 1}, {&memory, 1})[0].tensor();
}

Session increments(std::size_t count = 1) {
  return Session(Plan::build(chain(IncrementKernel{}, count, std::vector<Dim>{Dim::symbol("N")})));
}

/// cache[N], row[1] -> cache with the row behind it[N+1].
TypedModel appended() {
  TypedModel model;
  const OutletId cache = model.add_source(
                     "cache", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N")})),
                 row = model.add_source("row", Fact::tensor(DatumType::f32, Shape{1}));
  model.add_output("next", model.wire_one("next", Concat{0}, {cache, row}));
  return model;
}

/// x[2] -> x + 1, x.
TypedModel next_and_last() {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
  model.add_output("next", model.wire_one("next", IncrementKernel{}, {x}));
  model.add_output("last", x);
  return model;
}

}  // namespace

TEST_SUITE("output memory") {
  TEST_CASE("an output is written to the memory given for it, which may be larger") {
    for (const std::size_t count : {1, 5}) {
      Session session = increments(count);
      std::array<float, 4> memory{9, 9, 9, 9};
      const Tensor y = run(session, floats({1, 2}), bytes_of(memory));
      const auto added = static_cast<float>(count);
      CHECK(y == floats({1 + added, 2 + added}));
      CHECK(y.data() == bytes_of(memory).data());
      CHECK(memory == std::array<float, 4>{1 + added, 2 + added, 9, 9});
    }
  }

  TEST_CASE("runs with memory and without follow each other") {
    Session session = increments();
    std::array<float, 2> memory{}, other{};
    const Value x = floats({1, 2}), y = floats({3, 4});
    const ValueList own = session.run({&x, 1});
    (void)run(session, floats({5, 6}), bytes_of(memory));
    (void)run(session, floats({7, 8}), bytes_of(other));
    const ValueList later = session.run({&y, 1});
    CHECK((own[0] == Value(floats({2, 3}))));
    CHECK((later[0] == Value(floats({4, 5}))));
    CHECK(memory == std::array<float, 2>{6, 7});
    CHECK(other == std::array<float, 2>{8, 9});
  }

  TEST_CASE("a warm run with memory allocates no more than one without") {
    Session session = increments();
    std::array<float, 1024> memory{};
    const Value x = MutableTensor::zeros(DatumType::f32, {1024}).freeze();
    const Memory place = bytes_of(memory);
    const auto allocations_of = [&](OutputMemory given) {
      (void)session.run({&x, 1}, given);
      const std::size_t before = allocations();
      (void)session.run({&x, 1}, given);
      return allocations() - before;
    };
    CHECK(allocations_of({&place, 1}) == allocations_of({}));
  }

  TEST_CASE("a state is followed by the next where it lies") {
    Session session = increments(3);
    std::array<float, 2> state{1, 10};
    for (int step = 0; step < 4; ++step) (void)run(session, lent(state), bytes_of(state));
    CHECK(state == std::array<float, 2>{13, 22});
  }

  TEST_CASE("an output that is an input stays what the input was") {
    Session session(Plan::build(next_and_last()));
    std::array<float, 2> state{1, 2}, last{};
    const Value x = lent(state);
    SUBCASE("in memory of its own") {
      const Memory memory[] = {bytes_of(state), bytes_of(last)};
      (void)session.run({&x, 1}, memory);
      CHECK(last == std::array<float, 2>{1, 2});
    }
    SUBCASE("without") {
      const Memory memory[] = {bytes_of(state), {}};
      CHECK((session.run({&x, 1}, memory)[1] == Value(floats({1, 2}))));
    }
    CHECK(state == std::array<float, 2>{2, 3});
  }

  TEST_CASE("an output that is an input lying there is refused where others would be") {
    Session session(Plan::build(next_and_last()));
    std::array<float, 3> state{1, 2, 3};
    const Value x = lent(state, 2);
    const auto refused = [&](Memory next, Memory last, const char* why) {
      const Memory memory[] = {next, last};
      CHECK_THROWS_WITH_AS(session.run({&x, 1}, memory), why, Error);
      CHECK(state == std::array<float, 3>{1, 2, 3});
    };
    std::array<float, 2> next{};
    refused(bytes_of(next), bytes_of(state).first(4),
            "the memory given for output \"last\" has 4 bytes, expected 8");
    refused(bytes_of(state).subspan(4), bytes_of(state).first(8),
            "the memory given for output \"last\" overlaps that of \"next\"");
    CHECK(next == std::array<float, 2>{});
  }

  TEST_CASE("an output that is an input is refused likewise if outputs are made value by value") {
    TypedModel model = next_and_last();
    model.add_output("all", model.wire_one("all", SequenceConstruct{}, {model.inputs()[0]}));
    Session session(Plan::build(std::move(model)));
    std::array<float, 2> state{1, 2};
    const Value x = lent(state);
    const Memory memory[] = {{}, bytes_of(state).first(4), {}};
    CHECK_THROWS_WITH_AS(session.run({&x, 1}, memory),
                         "the memory given for output \"last\" has 4 bytes, expected 8", Error);
  }

  TEST_CASE("what a sequence or an optional holds stays what the input was") {
    TypedModel model = next_and_last();
    const OutletId x = model.inputs()[0];
    const OutletId all = model.wire_one("all", SequenceConstruct{}, {x, x});
    model.add_output("all", all);
    model.add_output("some", model.wire_one("some", OptionalOf{}, {all}));
    Session session(Plan::build(std::move(model)));
    std::array<float, 2> state{1, 2};
    const Value input = lent(state);
    const Memory memory[] = {bytes_of(state), {}, {}, {}};
    const ValueList outputs = session.run({&input, 1}, memory);
    CHECK(state == std::array<float, 2>{2, 3});
    const auto holds = [](const Sequence& values) {
      return values.items == SequenceItems{floats({1, 2}), floats({1, 2})};
    };
    CHECK(holds(outputs[2].sequence()));
    CHECK(holds(outputs[3].optional().value->sequence()));
  }

  TEST_CASE("rows are appended to a cache where it lies") {
    TypedModel lowered = appended();
    optimise(lowered);
    for (const TypedModel& model : {appended(), lowered}) {
      Session session(Plan::build(model));
      std::array<float, 4> cache{};
      const Memory memory = bytes_of(cache);
      for (int step = 0; step < 4; ++step) {
        const Value inputs[] = {lent(cache, step), floats({static_cast<float>(step + 1)})};
        (void)session.run(inputs, {&memory, 1});
      }
      CHECK(cache == std::array<float, 4>{1, 2, 3, 4});
    }
  }

  TEST_CASE("an output whose size only the data tell is written to the memory given for it") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{4}));
    model.add_output("y", model.wire_one("y", NonZero{}, {x}));
    Session session(Plan::build(model));
    std::array<std::int64_t, 4> memory{-1, -1, -1, -1};
    const Tensor y = run(session, floats({0, 5, 0, 6}), std::as_writable_bytes(std::span(memory)));
    CHECK(y == Tensor::of<std::int64_t>({1, 2}, {1, 3}));
    CHECK(memory == std::array<std::int64_t, 4>{1, 3, -1, -1});
  }

  TEST_CASE("memory that cannot take its output is refused") {
    const Value x = floats({1, 2});
    std::array<float, 4> memory{};
    const Memory whole = bytes_of(memory);
    const auto refusal = [&](const TypedModel& model, OutputMemory given) {
      Session session(Plan::build(model));
      try {
        (void)session.run({&x, 1}, given);
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::invalid_argument);
        return std::string(error.what());
      }
      return std::string("accepted");
    };
    const TypedModel increment = chain(IncrementKernel{}, 1, Shape{2});
    const auto of_one = [&](Memory given) { return refusal(increment, {&given, 1}); };
    CHECK(of_one(whole.first(8)) == "accepted");
    CHECK(of_one(whole.first(7)) == "the memory given for output \"y\" has 7 bytes, expected 8");
    CHECK(of_one(whole.subspan(1)) ==
          "the memory given for output \"y\" is not aligned to 4 bytes, as f32 needs");
    const Memory two[] = {whole.first(8), whole.subspan(4, 8)};
    CHECK(refusal(increment, two) == "the model has 1 output, memory for 2 given");
    CHECK(refusal(next_and_last(), two) ==
          "the memory given for output \"last\" overlaps that of \"next\"");

    TypedModel sequence;
    const OutletId source = sequence.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
    sequence.add_output("y", sequence.wire_one("y", SequenceConstruct{}, {source}));
    CHECK(refusal(sequence, {&whole, 1}) ==
          "the memory given for output \"y\" cannot hold values of type sequence(tensor(f32))");
  }
}
