#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/split.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/counting_ops.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// One row of `size` floats, or as many as `rows` says.
Fact row(std::int64_t size, Dim rows = 1) {
  return Fact::tensor(DatumType::f32, std::vector<Dim>{std::move(rows), size});
}

Tensor counted(std::int64_t rows, std::int64_t size) {
  MutableTensor out(DatumType::f32, {rows, size});
  std::iota(out.as<float>().begin(), out.as<float>().end(), 0.F);
  return std::move(out).freeze();
}

OutletId step(TypedModel& model, OutletId in) {
  return model.wire_one("step", IncrementKernel{}, {in});
}

/// x[rows, 32], z[rows, 32] -> (x + 1 joined with z + 1) + 2, and x + 2, for which x + 1 is read
/// again.
TypedModel joined(const Dim& rows) {
  TypedModel model;
  const OutletId x = model.add_source("x", row(32, rows)), z = model.add_source("z", row(32, rows));
  const OutletId a = step(model, x), b = step(model, z);
  const OutletId whole = model.wire_one("whole", Concat{1}, {a, b});
  model.add_output("y", step(model, step(model, whole)));
  model.add_output("a", step(model, a));
  optimise(model);
  return model;
}

void check_joined(Session& session, std::int64_t rows) {
  const Tensor x = counted(rows, 32);
  const ValueList out = session.run(ValueList{x, x});
  const auto y = out[0].tensor().as<float>(), a = out[1].tensor().as<float>(), in = x.as<float>();
  REQUIRE(out[0].tensor().shape() == Shape{rows, 64});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < 32; ++c) {
      const float at = in[static_cast<std::size_t>(32 * r + c)];
      CHECK(y[static_cast<std::size_t>(64 * r + c)] == at + 3);
      CHECK(y[static_cast<std::size_t>(64 * r + 32 + c)] == at + 3);
      CHECK(a[static_cast<std::size_t>(32 * r + c)] == at + 2);
    }
}

/// A random model of rows, and what it gives, worked out beside it.
class RandomRows {
 public:
  explicit RandomRows(unsigned seed) : random_(seed) {
    const Tensor x = counted(1, 64);
    add(model_.add_source("x", row(64)), {x.as<float>().begin(), x.as<float>().end()});
    for (int i = 0; i < 25; ++i) grow();
    for (std::size_t i = 0; i < wires_.size(); i += 1 + below(4)) give(i);
    give(wires_.size() - 1);
    optimise(model_);
  }

  void check() {
    Session session(Plan::build(std::move(model_)));
    for (int turn = 0; turn < 2; ++turn) {
      const ValueList out = session.run(ValueList{counted(1, 64)});
      for (std::size_t i = 0; i < expected_.size(); ++i) {
        const auto got = out[i].tensor().as<float>();
        CHECK(std::equal(got.begin(), got.end(), expected_[i].begin(), expected_[i].end()));
      }
    }
  }

 private:
  using Floats = std::vector<float>;

  std::size_t below(std::size_t bound) { return random_() % bound; }
  /// One of the values, most often one of the last.
  std::size_t any() { return wires_.size() - 1 - below(std::min<std::size_t>(wires_.size(), 6)); }
  void add(OutletId wire, Floats value) {
    wires_.push_back(wire);
    values_.push_back(std::move(value));
  }
  void give(std::size_t i) {
    model_.add_output(cat(expected_.size()), step(model_, wires_[i]));
    expected_.push_back(values_[i]);
    for (float& x : expected_.back()) ++x;
  }

  void grow() {
    const std::size_t kind = below(5), at = any();
    if (kind == 0 && values_[at].size() % 32 == 0) return split(at);
    if (kind < 3 && values_[at].size() < 1024) return join(at);
    Floats value = values_[at];
    for (float& x : value) ++x;
    add(step(model_, wires_[at]), std::move(value));
  }

  void join(std::size_t first) {
    OutletIds in{wires_[first]};
    Floats whole = values_[first];
    for (std::size_t more = 1 + below(3); more > 0; --more) {
      const std::size_t next = any();
      in.push_back(wires_[next]);
      whole.insert(whole.end(), values_[next].begin(), values_[next].end());
    }
    add(model_.wire_one("join", Concat{1}, in), std::move(whole));
  }

  void split(std::size_t at) {
    const OutletIds parts = model_.wire("split", Split{1, 2}, {wires_[at]});
    const Floats whole = values_[at];
    const auto half = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2);
    add(parts[0], {whole.begin(), half});
    add(parts[1], {half, whole.end()});
  }

  std::mt19937 random_;
  TypedModel model_;
  std::vector<OutletId> wires_;
  std::vector<Floats> values_, expected_;
};

}  // namespace

TEST_SUITE("frame holding") {
  TEST_CASE("parts are made where they are joined") {
    Session session(Plan::build(joined(1)));
    check_joined(session, 1);
    CHECK(session.arena_bytes() == 2 * 64 * sizeof(float));  // the join, and the one made of it
  }

  TEST_CASE("parts of a split are read where they lie") {
    TypedModel model;
    const OutletId whole = step(model, model.add_source("x", row(64)));
    const OutletIds parts = model.wire("parts", Split{1, 2}, {whole});
    model.add_output("low", step(model, parts[0]));
    model.add_output("high", step(model, parts[1]));
    optimise(model);
    Session session(Plan::build(std::move(model)));
    const ValueList out = session.run(ValueList{counted(1, 64)});
    for (std::size_t c = 0; c < 32; ++c) {
      CHECK(out[0].tensor().as<float>()[c] == static_cast<float>(c) + 2);
      CHECK(out[1].tensor().as<float>()[c] == static_cast<float>(c) + 34);
    }
    CHECK(session.arena_bytes() == 64 * sizeof(float));
  }

  TEST_CASE("rows of several images are copied, and sizes may change to and fro") {
    Session session(Plan::build(joined(Dim::symbol("N"))));
    for (const std::int64_t rows : {1, 3, 1, 2, 1}) check_joined(session, rows);
  }

  TEST_CASE("random joins and splits give what is worked out beside them") {
    for (unsigned seed = 0; seed < 300; ++seed) {
      CAPTURE(seed);
      RandomRows(seed).check();
    }
  }
}
