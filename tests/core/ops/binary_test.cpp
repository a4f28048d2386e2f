#include "strata/core/ops/binary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "strata/core/ops/cast.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
struct Case {
  BinaryOp op;
  T a;
  T b;
  T y;
};

template <class T, std::size_t N>
void check_cases(const Case<T> (&cases)[N]) {
  for (const Case<T>& c : cases) {
    INFO(Binary{c.op}.display_name(), " of ", cat(c.a), " and ", cat(c.b));
    check_op(Binary{c.op}, {Tensor::scalar(c.a), Tensor::scalar(c.b)}, {Tensor::scalar(c.y)});
  }
}

Fact sizes(const std::vector<Dim>& dims) { return Fact::of(dims_tensor(dims)); }

bool applies(const TypedOp& op, const Fact& x, const Tensor& constant) {
  TypedModel model;
  const OutletId in = model.add_source("x", x);
  const OutletId y = model.wire_one("y", op, {in, model.constant("c", constant)});
  const NodeView node{model, y.node};
  return node.op().declutter(node).has_value();
}

}  // namespace

TEST_SUITE("binary") {
  TEST_CASE("each function of floats gives the value of its definition") {
    check_cases<float>({
        {BinaryOp::add, 1, 2.5F, 3.5F},
        {BinaryOp::sub, 1, 2.5F, -1.5F},
        {BinaryOp::mul, 3, -2, -6},
        {BinaryOp::div, 1, 4, 0.25F},
        {BinaryOp::div, 1, 0, kInf},
        {BinaryOp::fmod, -7, 3, -1},
        {BinaryOp::mod, -7, 3, 2},
        {BinaryOp::mod, 5, -kInf, -kInf},
        {BinaryOp::pow, 2, -2, 0.25F},
        {BinaryOp::max, 1, 2, 2},
        {BinaryOp::max, kNan, 2, kNan},
        {BinaryOp::max, 2, kNan, kNan},
        {BinaryOp::min, 1, 2, 1},
        {BinaryOp::min, 2, kNan, kNan},
    });
  }

  TEST_CASE("integers wrap in their own width") {
    check_cases<std::int8_t>({
        {BinaryOp::add, 127, 1, -128},       {BinaryOp::sub, -128, 1, 127},
        {BinaryOp::mul, 64, 2, -128},        {BinaryOp::div, -7, 2, -3},
        {BinaryOp::div, -128, -1, -128},     {BinaryOp::mod, -7, 3, 2},
        {BinaryOp::mod, 7, -3, -2},          {BinaryOp::fmod, -7, 3, -1},
        {BinaryOp::pow, 2, 7, -128},         {BinaryOp::pow, -1, -3, -1},
        {BinaryOp::pow, 2, -1, 0},           {BinaryOp::bit_and, 6, 3, 2},
        {BinaryOp::bit_or, 6, 3, 7},         {BinaryOp::bit_xor, 6, 3, 5},
        {BinaryOp::shift_right, -8, 1, -4},  {BinaryOp::shift_right, -8, 9, -1},
        {BinaryOp::shift_right, -8, -1, -1}, {BinaryOp::shift_left, 3, 7, -128},
        {BinaryOp::shift_left, 3, 8, 0},     {BinaryOp::max, -1, 1, 1},
        {BinaryOp::min, -1, 1, -1},
    });
    check_cases<std::uint64_t>({{BinaryOp::div, UINT64_MAX, 2, UINT64_MAX / 2},
                                {BinaryOp::shift_left, 1, 64, 0},
                                {BinaryOp::max, UINT64_MAX, 1, UINT64_MAX}});
    check_cases<std::int64_t>(
        {{BinaryOp::div, INT64_MIN, -1, INT64_MIN}, {BinaryOp::fmod, INT64_MIN, -1, 0}});
  }

  TEST_CASE("binary combines bools and compares strings") {
    check_cases<bool>({{BinaryOp::truth_and, true, false, false},
                       {BinaryOp::truth_or, true, false, true},
                       {BinaryOp::truth_xor, true, true, false},
                       {BinaryOp::equal, false, false, true}});
    check_op(Binary{BinaryOp::equal},
             {Tensor::of<std::string>({2}, {"a", "b"}), Tensor::of<std::string>({1}, {"b"})},
             {Tensor::of<bool>({2}, {false, true})});
  }

  TEST_CASE("comparisons broadcast and are false of NaN") {
    const Tensor a = Tensor::of<float>({3, 1}, {1, 2, kNan}), b = Tensor::of<float>({2}, {1, 2});
    check_op(Binary{BinaryOp::less}, {a, b},
             {Tensor::of<bool>({3, 2}, {false, true, false, false, false, false})});
    check_op(Binary{BinaryOp::greater_or_equal}, {a, b},
             {Tensor::of<bool>({3, 2}, {true, false, true, true, false, false})});
  }

  TEST_CASE("symbolic sizes are computed with") {
    const Dim n = Dim::symbol("N");
    const auto of = [&](BinaryOp op, const Dim& a, const Dim& b) {
      return facts_of(Binary{op}, {sizes({a}), sizes({b})})[0].dims().value().front();
    };
    CHECK(of(BinaryOp::add, n, 2) == n + 2);
    CHECK(of(BinaryOp::mul, n, 2) == n * 2);
    CHECK(of(BinaryOp::div, n, 2) == floor_div(n, 2));
    CHECK(of(BinaryOp::max, n, 1) == max(n, 1));
    CHECK_FALSE(facts_of(Binary{BinaryOp::div}, {sizes({n - 1}), sizes({2})})[0].value);
  }

  TEST_CASE("a comparison of sizes is known where the sign of the difference is") {
    const Dim n = Dim::symbol("N");
    const auto of = [&](BinaryOp op, const Dim& a, const Dim& b) -> std::optional<bool> {
      const FactList facts = facts_of(Binary{op}, {sizes({a}), sizes({b})});
      return facts[0].value ? std::optional(facts[0].value->tensor().item<bool>()) : std::nullopt;
    };
    CHECK(of(BinaryOp::equal, n, -1) == false);
    CHECK(of(BinaryOp::equal, n, n) == true);
    CHECK(of(BinaryOp::less, n, n + 1) == true);
    CHECK(of(BinaryOp::greater_or_equal, n, 0) == true);
    CHECK(of(BinaryOp::equal, n, 1) == std::nullopt);
  }

  TEST_CASE("what changes nothing goes away") {
    const Fact x = Fact::tensor(DatumType::f32, Shape{2, 3}),
               i = Fact::tensor(DatumType::i32, Shape{2});
    CHECK(applies(Binary{BinaryOp::mul}, x, Tensor::scalar(1.0F)));
    CHECK(applies(Binary{BinaryOp::div}, x, Tensor::of<float>({1, 1}, {1})));
    CHECK(applies(Binary{BinaryOp::add}, i, Tensor::scalar(0)));
    CHECK_FALSE(applies(Binary{BinaryOp::add}, x, Tensor::scalar(0.0F)));
    CHECK(applies(Binary{BinaryOp::sub}, x, Tensor::scalar(0.0F)));
    CHECK_FALSE(applies(Binary{BinaryOp::sub}, x, Tensor::scalar(-0.0F)));
    CHECK_FALSE(applies(Binary{BinaryOp::mul}, x, Tensor::of<float>({1, 1, 1}, {1})));
  }

  TEST_CASE("truth that is known beside one that is not") {
    const Fact one = Fact::tensor(DatumType::boolean, Shape{1}),
               two = Fact::tensor(DatumType::boolean, Shape{2});
    for (const bool constant : {false, true}) {
      CHECK(applies(Binary{BinaryOp::truth_and}, one, Tensor::scalar(constant)));
      CHECK(applies(Binary{BinaryOp::truth_or}, one, Tensor::scalar(constant)));
      CHECK(applies(Binary{BinaryOp::truth_and}, two, Tensor::scalar(constant)) == constant);
      CHECK(applies(Binary{BinaryOp::truth_or}, two, Tensor::scalar(constant)) == !constant);
      CHECK(applies(Binary{BinaryOp::truth_xor}, one, Tensor::scalar(constant)) == !constant);
      for (const BinaryOp op : {BinaryOp::truth_and, BinaryOp::truth_or, BinaryOp::truth_xor})
        for (const bool x : {false, true}) {
          TypedModel model;
          const OutletId in = model.add_source("x", one);
          const OutletId known = model.constant("c", Tensor::scalar(constant));
          model.add_output("y", model.wire_one("y", Binary{op}, {known, in}));
          const Value given = Tensor::of<bool>({1}, {x});
          const Value before = run_model(model, {&given, 1})[0];
          declutter(model);
          CHECK(run_model(model, {&given, 1})[0] == before);
        }
    }
  }

  TEST_CASE("of twice the same, the greater, the less and both are it") {
    TypedModel model;
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
    const OutletId most = model.wire_one("most", Binary{BinaryOp::max}, {x, x});
    model.add_output("y", model.wire_one("twice", Binary{BinaryOp::add}, {most, most}));
    declutter(model);
    CHECK(model.live_nodes() == 2);
  }

  TEST_CASE("integers that are compared as floats with a number are compared as they are") {
    const auto model_of = [](BinaryOp op, bool is_left, double bound, DatumType type) {
      TypedModel model;
      const OutletId i = model.add_source("i", Fact::tensor(DatumType::i64, Shape{}));
      const OutletId x = model.wire_one("x", Cast{type}, {i});
      const OutletId c = model.constant("c", cast(Tensor::scalar(bound), type));
      model.add_output(
          "y", model.wire_one("y", Binary{op}, is_left ? OutletIds{c, x} : OutletIds{x, c}));
      return model;
    };
    const auto casts = [](const TypedModel& model) {
      return std::ranges::any_of(model.nodes(),
                                 [](const auto& node) { return node.op.template as<Cast>(); });
    };
    for (const BinaryOp op :
         {BinaryOp::less, BinaryOp::less_or_equal, BinaryOp::greater, BinaryOp::greater_or_equal})
      for (const bool is_left : {false, true})
        for (const double bound : {-2.5, -2.0, 0.0, 1.5, 4.0, 0x1p24 - 1}) {
          CAPTURE(bound);
          const TypedModel before = model_of(op, is_left, bound, DatumType::f32);
          TypedModel after = before;
          declutter(after);
          CHECK_FALSE(casts(after));
          for (const std::int64_t i :
               {-3, -2, -1, 0, 1, 2, 3, 4, 5, (1 << 24) - 2, (1 << 24) - 1, 1 << 24, (1 << 24) + 1,
                std::numeric_limits<std::int32_t>::max()}) {
            const Value given = Tensor::scalar(i);
            CHECK(run_model(after, {&given, 1})[0] == run_model(before, {&given, 1})[0]);
          }
        }
    // 2^24 + 1 is rounded to 2^24; not a number is below nothing; f16 is dense up to 2^11 alone.
    for (const double bound : {0x1p24, std::numeric_limits<double>::quiet_NaN()}) {
      TypedModel model = model_of(BinaryOp::less_or_equal, false, bound, DatumType::f32);
      declutter(model);
      CHECK(casts(model));
    }
    TypedModel narrow = model_of(BinaryOp::less, false, 4, DatumType::f16);
    declutter(narrow);
    CHECK(casts(narrow));
  }

  TEST_CASE("binary_c1: one input") {
    CHECK_THROWS_WITH_AS(facts_of(Binary{}, {sizes({1})}), doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("binary_c2: two element types") {
    CHECK_THROWS_WITH_AS(facts_of(Binary{}, {sizes({1}), Fact::tensor(DatumType::f32, Shape{1})}),
                         doctest::Contains("(C2)"), Error);
  }

  TEST_CASE("binary_c3: a type the function is not defined on") {
    const Fact x = Fact::tensor(DatumType::boolean, Shape{1});
    CHECK_THROWS_WITH_AS(facts_of(Binary{BinaryOp::add}, {x, x}), doctest::Contains("(C3)"), Error);
  }

  TEST_CASE("binary_c4: shapes that do not broadcast") {
    CHECK_THROWS_WITH_AS(facts_of(Binary{}, {Fact::tensor(DatumType::f32, Shape{2}),
                                             Fact::tensor(DatumType::f32, Shape{3})}),
                         doctest::Contains("shapes [2] and [3] do not broadcast"), Error);
  }

  TEST_CASE("binary_c5: an integer divided by 0") {
    const ValueList in{Tensor::scalar(1), Tensor::scalar(0)};
    CHECK_THROWS_WITH_AS(TypedOp(Binary{BinaryOp::div}).eval(in), doctest::Contains("(C5)"), Error);
    CHECK_THROWS_WITH_AS(TypedOp(Binary{BinaryOp::mod}).eval(in), doctest::Contains("(C5)"), Error);
  }
}
