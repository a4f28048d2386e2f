#include <doctest/doctest.h>

#include <random>

#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/loop_model.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr std::int64_t kRows = 4;

/// A loop of kRows iterations with a random body over vectors of two: two carried values, an
/// invariant, a matrix, a table read by the number of the iteration, and rows that are scanned.
class RandomLoop {
 public:
  explicit RandomLoop(unsigned seed) : random_(seed) {}

  TypedModel model(bool has_known_length) {
    const Fact rows = float_fact(has_known_length ? ShapeFact(Shape{kRows, 2})
                                                  : std::vector<Dim>{Dim::symbol("T"), 2});
    const Fact vector = float_fact(Shape{2}), matrix = float_fact(Shape{2, 2});
    const OutletId number = body_.add_source("number", Fact::tensor(DatumType::i64, Shape{}));
    wires_ = {body_.add_source("a", vector), body_.add_source("b", vector),
              body_.add_source("invariant", vector)};
    matrix_ = body_.add_source("matrix", matrix);
    const OutletId table = body_.add_source("table", float_fact(Shape{kRows, 2})),
                   row = body_.add_source("row", float_fact(Shape{1, 2}));
    axis_ = body_.constant("axis", Tensor::of<std::int64_t>({1}, {0}));
    wires_.push_back(body_.constant("constant", floats({0.5F, -0.25F})));
    wires_.push_back(body_.wire_one("squeezed", Squeeze{}, {row, axis_}));
    if (has_known_length) wires_.push_back(body_.wire_one("read", Gather{0}, {table, number}));
    for (int i = 0; i < 12; ++i) add_node(i);
    return finish({vector, vector, vector, matrix, float_fact(Shape{kRows, 2}), rows});
  }

  Tensor values(Shape shape) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    MutableTensor out(DatumType::f32, std::move(shape));
    for (float& value : out.as<float>()) value = uniform(random_);
    return std::move(out).freeze();
  }

 private:
  OutletId pick() { return wires_[random_() % wires_.size()]; }

  void add_node(int i) {
    const std::string name = cat("node", i);
    switch (random_() % 4) {
      case 0:
        wires_.push_back(body_.wire_one(name, MatMul{}, {pick(), matrix_}));
        break;
      case 1:
        wires_.push_back(body_.wire_one(name, Unary{UnaryOp::tanh}, {pick()}));
        break;
      case 2:
        wires_.push_back(body_.wire_one(name, Binary{BinaryOp::mul}, {pick(), pick()}));
        break;
      default:
        wires_.push_back(body_.wire_one(name, Binary{BinaryOp::sub}, {pick(), pick()}));
    }
  }

  TypedModel finish(const std::vector<Fact>& operands) {
    for (const std::string name : {"a_on", "b_on"})
      body_.add_output(name, body_.wire_one(name, Unary{UnaryOp::tanh}, {pick()}));
    for (const std::string name : {"part", "other"})
      body_.add_output(name, body_.wire_one(name, Unsqueeze{}, {pick(), axis_}));
    using Kind = LoopInput::Kind;
    Loop loop;
    loop.body = std::make_shared<const TypedModel>(std::move(body_));
    loop.numbered = true;
    const bool is_reversed = random_() % 2 == 0;
    loop.inputs = {{Kind::carried},   {Kind::carried},   {Kind::invariant},
                   {Kind::invariant}, {Kind::invariant}, {Kind::scanned, 0, 1, is_reversed}};
    loop.outputs = {{LoopOutput::Kind::last, 0},
                    {LoopOutput::Kind::last, 1},
                    {LoopOutput::Kind::stacked, 2, 0, is_reversed},
                    {LoopOutput::Kind::stacked, 3, 0, false}};
    return model_of(loop, operands, {0, 1, 2, 3});
  }

  std::mt19937 random_;
  TypedModel body_;
  OutletIds wires_;  ///< the vectors of two
  OutletId matrix_, axis_;
};

void check_agree(const ValueList& actual, const ValueList& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) check_close(actual[i], expected[i], 1e-4, 1e-5);
}

}  // namespace

TEST_SUITE("loop rewrites") {
  TEST_CASE("random loops give the same before and after, rolled and unrolled") {
    RewriteReport report;
    for (unsigned seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      RandomLoop random(seed);
      const TypedModel typed = random.model(seed % 2 == 0);
      const ValueList inputs{random.values({2}),        random.values({2}),
                             random.values({2}),        random.values({2, 2}),
                             random.values({kRows, 2}), random.values({kRows, 2})};
      const ValueList expected = run_model(typed, inputs);
      TypedModel rolled = typed, unrolled = typed;
      report.add(declutter(rolled, without_unrolling()));
      check_agree(run_model(rolled, inputs), expected);
      declutter(unrolled);
      check_agree(run_model(unrolled, inputs), expected);
      CHECK(declutter(rolled, without_unrolling()).firings.empty());
    }
    for (const std::string rule : {"hoist_invariant_code", "scan_by_counter", "batch_prefix"})
      CHECK(report.firings.contains(rule));
  }
}
