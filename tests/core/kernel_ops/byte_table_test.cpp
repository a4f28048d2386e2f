#include <cmath>

#include "integer_draft.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/quantize.h"

using namespace strata;
using namespace strata::tests;

namespace {

const Shape kShape{2, 3, 40};

/// Functions of bytes being wired.
struct Bytes : Draft {
  OutletId floats(OutletId x, float scale, int zero) {
    return floats(x, Tensor::scalar(scale), zero);
  }
  OutletId floats(OutletId x, const Tensor& scale, int zero) {
    const DatumType type = model.fact(x).dtype;
    return wire(Dequantize{}, {x, add(scale, Given::constant), point(type, zero)});
  }
  OutletId quantised(OutletId x, DatumType type, float scale, int zero) {
    return wire(Quantize{type},
                {x, add(Tensor::scalar(scale), Given::constant), point(type, zero)});
  }
  /// Without a zero point.
  OutletId floats(OutletId x, float scale) {
    return wire(Dequantize{}, {x, add(Tensor::scalar(scale), Given::constant)});
  }
  OutletId point(DatumType type, int zero) {
    return add(cast(Tensor::scalar(zero), type), Given::constant);
  }
  /// x / (1 + exp(-x)), each step between bytes.
  OutletId silu(OutletId x) {
    const OutletId gate = quantised(wire(Unary{UnaryOp::sigmoid}, {floats(x, 0.05F, 100)}),
                                    DatumType::u8, 1.0F / 256, 0);
    return quantised(binary(BinaryOp::mul, floats(x, 0.05F, 100), floats(gate, 1.0F / 256, 0)),
                     DatumType::u8, 0.04F, 7);
  }
};

/// Checks the numbers of ops after `optimise`, and that no bit of an output changes.
void check_tables(const Bytes& given, const OutletIds& outputs, std::size_t tables,
                  std::size_t others) {
  Bytes draft = given;
  for (const OutletId wire : outputs) draft.model.add_output(cat("y", wire.node), wire);
  const ValueList before = run_model(draft.model, draft.values);
  optimise(draft.model);
  CHECK(count_of_op(draft.model, "ByteTable") == tables);
  CHECK(computed_nodes(draft.model) == tables + others);
  const auto plan = Plan::build(draft.model);
  for (const std::size_t threads : {1, 2})
    CHECK(Session(plan, SessionOptions{.threads = threads}).run(draft.values) == before);
}

}  // namespace

TEST_SUITE("byte table") {
  TEST_CASE("a zero point that a run gives is not the byte of a table") {
    Bytes draft;
    const OutletId x = draft.add(Tensor::scalar(1.5F), Given::constant),
                   scale = draft.add(Tensor::scalar(0.5F), Given::constant),
                   zero = draft.add(cast(Tensor::scalar(3), DatumType::i8), Given::input);
    check_tables(draft, {draft.wire(Quantize{DatumType::i8}, {x, scale, zero})}, 0, 1);
  }

  TEST_CASE("a function between a byte and another is a table of what it makes of each") {
    Bytes draft;
    const OutletId x = draft.add(numbers(DatumType::u8, {256}, -1, 1), Given::input);
    draft.model.add_output("y", draft.silu(x));
    optimise(draft.model);
    CHECK(count_of_op(draft.model, "ByteTable") == 1);
    const auto y = run_model(draft.model, draft.values)[0].tensor();
    for (std::size_t i = 0; i < 256; ++i) {
      CAPTURE(i);
      const double number = (static_cast<double>(i) - 100) * 0.05;
      const double gate = std::min(255.0, std::nearbyint(256 / (1 + std::exp(-number)))) / 256;
      const double expected = std::nearbyint(number * gate / 0.04) + 7;
      CHECK(y.as<std::uint8_t>()[i] == std::fmax(0.0, std::fmin(expected, 255.0)));
    }
  }

  TEST_CASE("any types of bytes, and single numbers of any rank") {
    Noise noise(1);
    for (const DatumType from : kBytes)
      for (const DatumType to : kBytes) {
        Bytes draft;
        const OutletId x = draft.add(bytes(noise, from, kShape), Given::input);
        const OutletId one = draft.add(Tensor::of<float>({1, 1}, {1.5F}), Given::constant);
        const OutletId moved = draft.binary(BinaryOp::add, draft.floats(x, 0.1F, 3), one);
        check_tables(draft, {draft.quantised(moved, to, 0.07F, -5 + 5 * (to == DatumType::u8))}, 1,
                     0);
        check_tables(draft, {draft.wire(Cast{to}, {moved})}, 1, 0);
      }
  }

  TEST_CASE("tables of tables are one") {
    Noise noise(2);
    Bytes draft;
    const OutletId x = draft.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId once = draft.silu(x), twice = draft.silu(once);
    check_tables(draft, {twice}, 1, 0);
    check_tables(draft, {once, twice}, 2, 0);
  }

  TEST_CASE("what others read between the bytes stays for them") {
    Noise noise(3);
    Bytes draft;
    const OutletId x = draft.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId wide = draft.wire(Unary{UnaryOp::tanh}, {draft.floats(x, 0.05F, 100)});
    const OutletId y = draft.quantised(wide, DatumType::u8, 0.01F, 128);
    draft.model.add_output("wide", wide);
    draft.model.add_output("y", y);
    const ValueList before = run_model(draft.model, draft.values);
    optimise(draft.model);
    CHECK(count_of_op(draft.model, "ByteTable") == 1);
    CHECK(count_of_op(draft.model, "DequantizeKernel") == 1);
    CHECK(run_model(draft.model, draft.values)[1] == before[1]);
  }

  TEST_CASE("two bytes that vary, a scale for each channel, floats and lone ops are no tables") {
    Noise noise(4);
    Bytes sum;
    const OutletId a = sum.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId b = sum.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId both =
        sum.binary(BinaryOp::add, sum.floats(a, 0.5F, 1), sum.floats(b, 0.25F, 2));
    check_tables(sum, {sum.quantised(both, DatumType::u8, 0.5F, 0)}, 0, 1);

    Bytes channels;
    const OutletId x = channels.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId scales = channels.add(Tensor::of<float>({3}, {1, 2, 3}), Given::constant);
    check_tables(
        channels,
        {channels.quantised(channels.wire(Dequantize{}, {x, scales}), DatumType::u8, 0.5F, 0)}, 0,
        2);
    const OutletId column = channels.add(Tensor::of<float>({3, 1}, {1, 2, 3}), Given::constant);
    const OutletId scaled = channels.binary(BinaryOp::mul, channels.floats(x, 0.5F, 0), column);
    check_tables(channels, {channels.quantised(scaled, DatumType::u8, 0.5F, 0)}, 0, 3);

    Bytes larger;  // the constant has an axis that the bytes have not
    const OutletId few = larger.add(bytes(noise, DatumType::u8, {4}), Given::input);
    const OutletId one = larger.add(Tensor::of<float>({1, 1}, {2}), Given::constant);
    const OutletId more = larger.binary(BinaryOp::mul, larger.floats(few, 0.5F, 0), one);
    check_tables(larger, {larger.quantised(more, DatumType::u8, 0.5F, 0)}, 0, 3);

    Bytes alone;
    const OutletId byte = alone.add(bytes(noise, DatumType::u8, kShape), Given::input);
    check_tables(alone, {alone.wire(Cast{DatumType::i8}, {byte})}, 0, 1);
  }
}

/// Checks how many ops of pairs there are after `optimise`, and that no bit of an output changes.
void check_pairs(const Bytes& given, const OutletIds& outputs, std::size_t pairs) {
  Bytes draft = given;
  for (const OutletId wire : outputs) draft.model.add_output(cat("y", wire.node), wire);
  const ValueList before = run_model(draft.model, draft.values);
  for (const Isa isa : supported_isas()) {
    TypedModel model = draft.model;
    optimise(model, Target{isa});
    CHECK(count_of_op(model, "BytePairKernel") == pairs);
    const auto plan = Plan::build(std::move(model));
    for (const std::size_t threads : {1, 2})
      CHECK(Session(plan, SessionOptions{.threads = threads}).run(draft.values) == before);
  }
}

TEST_SUITE("byte pair") {
  TEST_CASE("a function of two bytes is one op, for any types and sizes") {
    Noise noise(1);
    for (const DatumType type : kBytes)
      for (const DatumType to : kBytes)
        for (const BinaryOp op : {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::max})
          for (const Shape& shape : {Shape{}, Shape{0}, Shape{63}, Shape{1025}, Shape{3, 70000}}) {
            CAPTURE(element_count(shape));
            Bytes draft;
            const OutletId a = draft.add(bytes(noise, type, shape), Given::input);
            const OutletId b = draft.add(bytes(noise, to, shape), Given::input);
            const OutletId both =
                draft.binary(op, draft.floats(a, 0.5F, 11), draft.floats(b, 0.03F, -2));
            check_pairs(draft, {draft.quantised(both, to, 0.21F, 5)}, 1);
          }
  }

  TEST_CASE("the sum of any two bytes is rounded as eval rounds it, halves to even") {
    const auto every = [](DatumType type, const auto& at) {
      MutableTensor out(DatumType::i32, {1 << 16});
      const std::int32_t least = type == DatumType::u8 ? 0 : -128;
      for (std::int32_t i = 0; std::int32_t & x : out.as<std::int32_t>()) x = least + at(i++);
      return cast(std::move(out).freeze(), type);
    };
    struct Scales {
      float a, b, y;
      int a_zero, b_zero, y_zero;
    };
    for (const DatumType type : kBytes)
      for (const Scales& s : {Scales{0.5F, 0.25F, 1, 0, 0, 0},
                              {0.37F, 0.61F, 0.7F, 3, 90, 1},
                              {0.013F, 0.02F, 0.025F, 0, 120, 0},
                              {0.1F, 0.1F, 0.3F, 100, 7, 60},
                              {0.0875F, 0.05F, 0.025F, 128, 120, 7},
                              {0.12F, 0.28F, 0.08F, 128, 120, 7},
                              {1e5F, 1e5F + 0.31F, 0.37F, 0, 100, 3},  // too large for floats
                              {1, -0.5F, 0.5F, 4, 4, 4}}) {
        CAPTURE(s.a);
        for (const DatumType to : kBytes) {
          Bytes draft;
          const OutletId a = draft.add(every(type, [](int i) { return i / 256; }), Given::input);
          const OutletId b = draft.add(every(type, [](int i) { return i % 256; }), Given::input);
          const OutletId sum = draft.binary(BinaryOp::add, draft.floats(a, s.a, s.a_zero),
                                            draft.floats(b, s.b, s.b_zero));
          check_pairs(draft, {draft.quantised(sum, to, s.y, s.y_zero)}, 1);
        }
      }
  }

  TEST_CASE(
      "numbers that others read too are taken all the same, results of the function are not") {
    Noise noise(2);
    Bytes draft;
    const OutletId a =
        draft.floats(draft.add(bytes(noise, DatumType::u8, kShape), Given::input), 0.5F, 4);
    const OutletId b =
        draft.floats(draft.add(bytes(noise, DatumType::i8, kShape), Given::input), 0.3F, 9);
    const OutletId sum = draft.binary(BinaryOp::add, a, b);
    const OutletId y = draft.quantised(sum, DatumType::u8, 0.6F, 100);
    check_pairs(draft, {y, a}, 1);
    check_pairs(draft, {y, sum}, 0);
    check_pairs(draft, {draft.quantised(draft.binary(BinaryOp::mul, a, a), DatumType::u8, 9, 1)},
                0);
  }

  TEST_CASE("shapes that differ, a scale for each channel and no zero point take several ops") {
    Noise noise(3);
    Bytes draft;
    const OutletId wide = draft.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId row =
        draft.floats(draft.add(bytes(noise, DatumType::u8, {40}), Given::input), 2, 1);
    const OutletId a = draft.floats(wide, 0.5F, 3);
    const OutletId scales = draft.add(Tensor::of<float>({3}, {1, 2, 3}), Given::constant);
    const OutletId other = draft.add(bytes(noise, DatumType::u8, kShape), Given::input);
    const OutletId by_channel = draft.wire(
        Dequantize{},
        {other, scales, draft.add(Tensor::of<std::uint8_t>({3}, {1, 2, 3}), Given::constant)});
    check_pairs(draft,
                {draft.quantised(draft.binary(BinaryOp::add, a, draft.floats(other, 1)),
                                 DatumType::u8, 1, 0)},
                0);
    check_pairs(draft, {draft.quantised(draft.binary(BinaryOp::add, a, row), DatumType::u8, 1, 0)},
                0);
    check_pairs(draft,
                {draft.quantised(draft.binary(BinaryOp::add, a, by_channel), DatumType::u8, 1, 0)},
                0);
  }
}
