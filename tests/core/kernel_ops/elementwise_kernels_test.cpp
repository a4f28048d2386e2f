#include <doctest/doctest.h>

#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/lowered.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr DatumType kNumbers[] = {
    DatumType::boolean, DatumType::u8,  DatumType::u16, DatumType::u32, DatumType::u64,
    DatumType::i8,      DatumType::i16, DatumType::i32, DatumType::i64, DatumType::f16,
    DatumType::bf16,    DatumType::f32, DatumType::f64};

/// Two shapes that broadcast.
std::pair<Shape, Shape> broadcast_pair(Noise& noise) {
  const std::size_t rank = static_cast<std::size_t>(noise.number(0, 4));
  Shape a = noise.shape(rank, noise.number(0, 5) > 0, 5), b = a;
  for (std::size_t i = 0; i < rank; ++i) {
    if (noise.number(0, 3) == 0) a[i] = 1;
    if (noise.number(0, 3) == 0) b[i] = 1;
  }
  while (!b.empty() && noise.number(0, 3) == 0) b.erase(b.begin());
  if (noise.number(0, 1) == 0) std::swap(a, b);
  return {a, b};
}

/// Whether the op is defined on the type.
template <class Op>
bool is_defined(const Op& op, std::vector<DatumType> types) {
  std::vector<Fact> facts;
  for (const DatumType type : types) facts.push_back(Fact::tensor(type, Shape{1}));
  try {
    (void)op.output_facts(GatheredFacts(facts));
    return true;
  } catch (const Error&) {
    return false;
  }
}

const double kExtremes[] = {0,
                            -0.0,
                            1,
                            -1,
                            0.5,
                            -1.5,
                            255,
                            256,
                            -129,
                            32768,
                            65535,
                            65537,
                            2147483647,
                            2147483648,
                            -2147483649.0,
                            4294967295,
                            4294967296,
                            9223372036854775807.0,
                            -9223372036854775808.0,
                            18446744073709551615.0,
                            1e30,
                            -1e30,
                            1e300,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            1e-40,
                            1e-310};

bool has_kernel(BinaryOp op) {
  using enum BinaryOp;
  return op == add || op == sub || op == mul || op == div || op == min || op == max || op == pow ||
         op == fmod;
}

/// What functions of floats may differ by, once rounded to the type.
KernelTolerance rounded(DatumType type) {
  if (type == DatumType::f64) return {1e-15, 0};
  if (type == DatumType::f32) return {5e-7, 1e-6};
  if (type == DatumType::f16) return {1e-3, 1e-6};
  return type == DatumType::bf16 ? KernelTolerance{8e-3, 1e-6} : KernelTolerance{};
}

/// Whether functions on the type are those of f32.
bool is_computed_in_f32(DatumType type) {
  return type == DatumType::f32 || type == DatumType::f16 || type == DatumType::bf16;
}

std::string_view kernel_of(UnaryOp op, DatumType type) {
  using enum UnaryOp;
  if (!is_computed_in_f32(type) || op == is_inf || op == is_nan) return "NumericUnaryKernel";
  if (op == rsqrt) return "FusedElementwise";
  return op == square || op == reciprocal ? "BinaryKernel" : "UnaryKernel";
}

std::string_view kernel_of(BinaryOp op, DatumType type) {
  return is_computed_in_f32(type) && has_kernel(op) ? "BinaryKernel" : "NumericBinaryKernel";
}

Tensor extremes(DatumType type) { return cast(Tensor::vector<double>(kExtremes), type); }

}  // namespace

TEST_SUITE("elementwise kernels") {
  TEST_CASE("functions of two numbers of every type, with every broadcast") {
    Noise noise(1);
    for (const auto& [op, name] : enumerators(BinaryOp::add))
      for (const DatumType type : kNumbers) {
        if (!is_defined(Binary{op}, {type, type})) continue;
        CAPTURE(name);
        for (int round = 0; round < 12; ++round) {
          const auto [a, b] = broadcast_pair(noise);
          check_lowered(Binary{op}, {{noise.tensor(type, a)}, {noise.tensor(type, b)}},
                        kernel_of(op, type),
                        op == BinaryOp::pow ? rounded(type) : KernelTolerance{});
        }
      }
  }

  TEST_CASE("functions of two numbers at the ends of their ranges") {
    for (const auto& [op, name] : enumerators(BinaryOp::add))
      for (const DatumType type : kNumbers) {
        if (!is_defined(Binary{op}, {type, type}) || type == DatumType::f32) continue;
        CAPTURE(name);
        const Tensor row = extremes(type);
        const KernelTolerance tolerance = op == BinaryOp::pow ? rounded(type) : KernelTolerance{};
        check_lowered(Binary{op}, {{row.reshaped({row.size(), 1})}, {row}}, kernel_of(op, type),
                      tolerance);
        // Without those that an integer division refuses.
        MutableTensor ones = MutableTensor::zeros(DatumType::f64, {3});
        ones.as<double>()[0] = 1, ones.as<double>()[1] = 2, ones.as<double>()[2] = 3;
        const Tensor few = cast(std::move(ones).freeze(), type);
        check_lowered(Binary{op}, {{row.reshaped({row.size(), 1})}, {few}}, kernel_of(op, type),
                      tolerance);
      }
  }

  TEST_CASE("rows longer than a block of the same number") {
    Noise noise(2);
    for (const DatumType type : {DatumType::u8, DatumType::i64})
      for (const BinaryOp op : {BinaryOp::sub, BinaryOp::greater}) {
        check_lowered(Binary{op}, {{noise.tensor(type, {1500})}, {noise.tensor(type, {})}},
                      "NumericBinaryKernel");
        check_lowered(Binary{op}, {{noise.tensor(type, {3, 1})}, {noise.tensor(type, {3, 1500})}},
                      "NumericBinaryKernel");
      }
  }

  TEST_CASE("shapes that do not broadcast are refused in the run") {
    TypedModel model;
    const OutletId a = model.add_source("a", Fact::tensor(DatumType::i64, {{Dim::symbol("N")}})),
                   b = model.add_source("b", Fact::tensor(DatumType::i64, Shape{3}));
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {a, b}));
    optimise(model);
    Noise noise(3);
    const ValueList fits{noise.tensor(DatumType::i64, {3}), noise.tensor(DatumType::i64, {3})};
    CHECK(run_model(model, fits).size() == 1);
    const ValueList wrong{noise.tensor(DatumType::i64, {4}), noise.tensor(DatumType::i64, {3})};
    CHECK_THROWS_WITH_AS(run_model(model, wrong), doctest::Contains("[4] and [3] do not broadcast"),
                         Error);
  }

  TEST_CASE("functions of one number of every type") {
    Noise noise(4);
    for (const auto& [op, name] : enumerators(UnaryOp::abs))
      for (const DatumType type : kNumbers) {
        if (!is_defined(Unary{op}, {type}) || type == DatumType::f32) continue;
        CAPTURE(name);
        check_lowered(Unary{op}, {{extremes(type)}}, kernel_of(op, type), rounded(type));
        check_lowered(Unary{op}, {{noise.tensor(type, {2, 3})}}, kernel_of(op, type),
                      rounded(type));
        check_lowered(Unary{op}, {{noise.tensor(type, {0})}}, kernel_of(op, type));
        check_lowered(Unary{op}, {{noise.tensor(type, {1100})}}, kernel_of(op, type),
                      rounded(type));
      }
  }

  TEST_CASE("functions of f32 have kernels, but for tests") {
    Noise noise(7);
    for (const auto& [op, name] : enumerators(UnaryOp::abs)) {
      const bool is_power =
          op == UnaryOp::square || op == UnaryOp::reciprocal || op == UnaryOp::rsqrt;
      if (!is_defined(Unary{op}, {DatumType::f32}) || is_power) continue;
      CAPTURE(name);
      for (const Tensor& x : {extremes(DatumType::f32), noise.tensor(DatumType::f32, {5, 7})})
        check_lowered(Unary{op}, {{x}}, kernel_of(op, DatumType::f32), rounded(DatumType::f32));
    }
  }

  TEST_CASE("squares, cubes and reciprocals become products and quotients") {
    const Tensor x = extremes(DatumType::f32);
    check_lowered(Unary{UnaryOp::square}, {{x}}, "BinaryKernel");
    check_lowered(Unary{UnaryOp::reciprocal}, {{x}}, "BinaryKernel");
    check_lowered(Unary{UnaryOp::rsqrt}, {{x}}, "FusedElementwise", {1e-6, 0});
    check_lowered(Binary{BinaryOp::pow}, {{x}, {Tensor::scalar(2.0F), true}}, "BinaryKernel");
    check_lowered(Binary{BinaryOp::pow}, {{x}, {Tensor::scalar(3.0F), true}}, "FusedElementwise",
                  rounded(DatumType::f32));
    check_lowered(Binary{BinaryOp::pow}, {{x}, {Tensor::scalar(4.0F), true}}, "BinaryKernel",
                  rounded(DatumType::f32));
    const Tensor wide = extremes(DatumType::f64);
    check_lowered(Binary{BinaryOp::pow}, {{wide}, {Tensor::scalar(2.0), true}},
                  "NumericBinaryKernel", rounded(DatumType::f64));
  }

  TEST_CASE("activations of every type of floats") {
    for (const auto& [op, name] : enumerators(ActivationKind::elu))
      for (const DatumType type : {DatumType::f16, DatumType::bf16, DatumType::f64}) {
        CAPTURE(name);
        check_lowered(Activation{op, 0.75F, 0.25F}, {{extremes(type)}},
                      is_computed_in_f32(type) ? "UnaryKernel" : "ActivationKernel", rounded(type));
      }
    Noise noise(8);
    for (const auto& [op, name] : enumerators(ActivationKind::elu)) {
      CAPTURE(name);
      for (const Tensor& x : {extremes(DatumType::f32), noise.tensor(DatumType::f32, {3, 6})})
        check_lowered(Activation{op, 0.75F, 0.25F}, {{x}}, "UnaryKernel", rounded(DatumType::f32));
    }
    check_lowered(Activation{ActivationKind::celu, -0.75F}, {{noise.tensor(DatumType::f32, {9})}},
                  "ActivationKernel");
  }

  TEST_CASE("x < 0 ? x * slope : x is one kernel where the slope is no larger than x") {
    const auto optimised = [](const Shape& slope_shape, BinaryOp compare) {
      TypedModel model;
      const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2, 3, 4})),
                     slope = model.add_source("slope", Fact::tensor(DatumType::f32, slope_shape)),
                     zero = model.constant("zero", Tensor::scalar(0.0F)),
                     below = model.wire_one("below", Binary{compare}, {x, zero}),
                     product = model.wire_one("product", Binary{BinaryOp::mul}, {x, slope});
      model.add_output("y", model.wire_one("y", Select{}, {below, product, x}));
      optimise(model);
      return model;
    };
    const TypedModel prelu = optimised({3, 1}, BinaryOp::less);
    CHECK(count_of_op(prelu, "SelectKernel") == 0);
    CHECK(count_of_op(prelu, "BinaryKernel") == 1);
    std::vector<float> x, expected;
    const std::vector<float> slopes{0.5F, -2, 0.25F};
    for (int i = 0; i < 24; ++i) {
      x.push_back(static_cast<float>(i % 5) - 2);
      expected.push_back(x.back() < 0 ? x.back() * slopes[static_cast<std::size_t>(i / 4 % 3)]
                                      : x.back());
    }
    const ValueList inputs{Tensor::of<float>({2, 3, 4}, x), Tensor::of<float>({3, 1}, slopes)};
    const ValueList out = run_model(prelu, inputs);
    CHECK(std::ranges::equal(out[0].tensor().as<float>(), expected));
    CHECK(count_of_op(optimised({3, 1}, BinaryOp::greater), "SelectKernel") == 1);
  }

  TEST_CASE("selects elements of every width, with every broadcast") {
    Noise noise(5);
    for (const DatumType type :
         {DatumType::boolean, DatumType::f16, DatumType::f32, DatumType::i64, DatumType::c128})
      for (int round = 0; round < 80; ++round) {
        const auto [a, b] = broadcast_pair(noise);
        Shape condition = broadcast(a, b);
        for (std::int64_t& size : condition)
          if (noise.number(0, 2) == 0) size = 1;
        if (noise.number(0, 3) == 0) condition.clear();
        check_lowered(Select{},
                      {{noise.tensor(DatumType::boolean, condition)},
                       {noise.tensor(type, a)},
                       {noise.tensor(type, b)}},
                      "SelectKernel");
      }
  }

  TEST_CASE("short rows, more of them than are read at once") {
    Noise noise(7);
    const auto any_of = [&](std::int64_t n) {
      return Shape{noise.number(0, 1) == 0 ? 1 : 700, noise.number(0, 1) == 0 ? 1 : n};
    };
    for (int round = 0; round < 60; ++round) {
      const std::int64_t n = noise.number(2, 33);
      const Shape all{700, n};
      for (const DatumType type : {DatumType::f16, DatumType::f32, DatumType::i64, DatumType::c128})
        check_lowered(Select{},
                      {{noise.tensor(DatumType::boolean, any_of(n))},
                       {noise.tensor(type, round % 2 == 0 ? all : any_of(n))},
                       {noise.tensor(type, any_of(n))}},
                      "SelectKernel");
      for (const DatumType type : {DatumType::f64, DatumType::i32, DatumType::u8})
        for (const BinaryOp op : {BinaryOp::sub, BinaryOp::less})
          check_lowered(Binary{op},
                        {{noise.tensor(type, any_of(n))},
                         {noise.tensor(type, round % 2 == 0 ? all : any_of(n))}},
                        "NumericBinaryKernel");
    }
  }

  TEST_CASE("casts between all types of numbers") {
    Noise noise(6);
    for (const DatumType from : kNumbers)
      for (const DatumType to : kNumbers) {
        if (from == to) continue;
        CAPTURE(to);
        check_lowered(Cast{to}, {{extremes(from)}}, "CastKernel");
        check_lowered(Cast{to}, {{noise.tensor(from, {3, 7})}}, "CastKernel");
      }
    check_lowered(Cast{DatumType::f8e4m3fn, Overflow::to_infinity_or_nan},
                  {{extremes(DatumType::f32)}}, "CastKernel");
  }

  TEST_CASE("casts to narrow floats round once, and those of many numbers go part by part") {
    // 2^24 + 2^16 + 1 is above the middle of two bf16, and in the middle once it is rounded to f32.
    const Tensor near_middles = Tensor::vector<std::int64_t>(std::vector<std::int64_t>{
        16842753, 16777217, 33554433, 65519, 65520, 2049, 2051, -2049, -16842753});
    for (const DatumType from : {DatumType::i64, DatumType::i32})
      for (const DatumType to : {DatumType::f16, DatumType::bf16})
        check_lowered(Cast{to}, {{cast(near_middles, from)}}, "CastKernel");
    // Of doubles, what lies just beside a middle of two f16, the smallest of them and what becomes
    // an infinity among them.
    std::vector<double> beside;
    for (const double middle :
         {1 + 0x1p-11, 1 + 0x3p-11, 0x1p-25, 0x3p-25, 0x1p-14 - 0x1p-25, 65520.0})
      for (const double by : {0.0, -0x1p-50, 0x1p-50, -0x1p-30, 0x1p-30})
        for (const double sign : {1.0, -1.0}) beside.push_back(sign * middle * (1 + by));
    for (const double x : {0x1p-140, 0x1p-1060, 0x1p127, 0x1.8p128, 1e300}) beside.push_back(x);
    check_lowered(Cast{DatumType::f16}, {{Tensor::vector<double>(beside)}}, "CastKernel");
    // Bytes are what is before the point, however near the next whole number is.
    std::vector<double> near_whole;
    for (const double whole : {-129.0, -128.0, -1.0, 0.0, 1.0, 127.0, 128.0, 255.0, 256.0})
      for (const double by : {0.0, -0x1p-46, 0x1p-46, -0x1p-20, 0x1p-20})
        near_whole.push_back(whole + by);
    for (const DatumType byte : {DatumType::u8, DatumType::i8})
      check_lowered(Cast{byte}, {{Tensor::vector<double>(near_whole)}}, "CastKernel");
    Noise noise(7);
    for (const DatumType word : {DatumType::u16, DatumType::i16})
      for (const DatumType to : {DatumType::f32, DatumType::f64, DatumType::f16, DatumType::bf16,
                                 DatumType::i32, DatumType::u8, DatumType::boolean})
        check_lowered(Cast{to}, {{noise.tensor(word, {2500})}}, "CastKernel");
    const DatumType others[] = {DatumType::u8, DatumType::i64, DatumType::boolean, DatumType::f64};
    for (const DatumType narrow : {DatumType::f16, DatumType::bf16})
      for (const DatumType other : others) {
        check_lowered(Cast{narrow}, {{noise.tensor(other, {2500})}}, "CastKernel");
        check_lowered(Cast{other}, {{noise.tensor(narrow, {2500})}}, "CastKernel");
      }
  }

  TEST_CASE("functions of integers, more than a block of them") {
    Noise noise(8);
    for (const UnaryOp op : {UnaryOp::abs, UnaryOp::bitwise_not, UnaryOp::neg, UnaryOp::relu,
                             UnaryOp::sign, UnaryOp::square})
      for (const DatumType type : kNumbers) {
        if (!is_integer(type) || !is_defined(Unary{op}, {type})) continue;
        CAPTURE(type);
        check_lowered(Unary{op}, {{noise.tensor(type, {1500})}}, "NumericUnaryKernel");
        check_lowered(Unary{op}, {{extremes(type)}}, "NumericUnaryKernel");
      }
  }
}
