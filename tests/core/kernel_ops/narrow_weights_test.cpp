#include "integer_draft.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernels/int8.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/quantize.h"

using namespace strata;
using namespace strata::tests;

namespace {

// Enough numbers that they stay narrow; neither panels nor words nor blocks are full.
constexpr std::int64_t kDepth = 541, kColumns = 501;

Tensor integers(Noise& noise, DatumType type, const Shape& shape) {
  MutableTensor out(is_signed_integer(type) ? DatumType::i8 : DatumType::u8, shape);
  for (std::uint8_t& x : out.storage_as<std::uint8_t>())
    x = static_cast<std::uint8_t>(noise.number(0, 255));
  const Tensor bytes = std::move(out).freeze();
  return bit_width(type) == 8 ? bytes : packed(bytes, type);
}

/// Powers of two, so that floats hold every product and sum.
Tensor powers(Noise& noise, const Shape& shape) {
  MutableTensor out(DatumType::f32, shape);
  for (float& x : out.as<float>()) x = noise.number(0, 1) == 0 ? 0.5f : 0.25f;
  return std::move(out).freeze();
}

Tensor whole_floats(Noise& noise, const Shape& shape) {
  MutableTensor out(DatumType::f32, shape);
  for (float& x : out.as<float>()) x = static_cast<float>(noise.number(-3, 3));
  return std::move(out).freeze();
}

struct Form {
  DatumType type;
  std::int64_t block;  ///< 0: a scale for each column, -1: one for all
  bool is_transposed;
  bool has_zeros;
  std::int64_t depth = kDepth;
};

/// a W + bias with the weights of this form.
Draft product(Noise& noise, const Form& form, const Shape& a) {
  Draft draft;
  const std::int64_t blocks = form.block > 0 ? (form.depth + form.block - 1) / form.block : 0;
  Shape shape{form.depth, kColumns}, scales{blocks, kColumns};
  if (form.is_transposed) shape = {kColumns, form.depth}, scales = {kColumns, blocks};
  if (form.block == 0) scales = {kColumns};
  if (form.block < 0) scales = {};
  const std::int64_t axis = form.is_transposed == (form.block > 0) ? 1 : 0;
  const OutletId x = draft.add(whole_floats(noise, a), Given::input);
  OutletIds weights{draft.add(integers(noise, form.type, shape), Given::constant),
                    draft.add(powers(noise, scales), Given::constant)};
  if (form.has_zeros)
    weights.push_back(draft.add(integers(noise, form.type, scales), Given::constant));
  const OutletId w =
      draft.wire(Dequantize{DatumType::f32, axis, std::max<std::int64_t>(form.block, 0)}, weights);
  const OutletId y = draft.wire(MatMul{.transpose_b = form.is_transposed}, {x, w});
  draft.wire(Binary{BinaryOp::add},
             {y, draft.add(whole_floats(noise, {kColumns}), Given::constant)});
  return draft;
}

OutletId last_of(const Draft& draft) {
  return {static_cast<std::uint32_t>(draft.model.nodes().size() - 1), 0};
}

}  // namespace

TEST_SUITE("narrow weights") {
  TEST_CASE("products with dequantised constants widen them panel by panel") {
    Noise noise(21);
    int count = 0;
    for (const DatumType type :
         {DatumType::u2, DatumType::i2, DatumType::u4, DatumType::i4, DatumType::u8, DatumType::i8})
      for (const std::int64_t block : {-1, 0, 16, 32, 128})
        for (const bool is_transposed : {false, true}) {
          const Shape a[] = {{1, kDepth}, {9, kDepth}, {2, 3, kDepth}, {1, 1, kDepth}};
          const bool has_zeros = count % 3 != 0;
          CAPTURE(type);
          CAPTURE(block);
          CAPTURE(is_transposed);
          const Draft draft =
              product(noise, {type, block, is_transposed, has_zeros}, a[count++ % 4]);
          check_integer(draft, last_of(draft), "MatMulKernel");
        }
  }

  TEST_CASE("columns whose integers fill words are packed by those") {
    Noise noise(27);
    for (const DatumType type :
         {DatumType::u2, DatumType::i2, DatumType::u4, DatumType::i4, DatumType::u8, DatumType::i8})
      for (const std::int64_t block : {-1, 0, 16, 128})
        for (const bool has_zeros : {false, true}) {
          CAPTURE(type);
          CAPTURE(block);
          const Draft draft = product(noise, {type, block, true, has_zeros, 560}, {3, 560});
          check_integer(draft, last_of(draft), "MatMulKernel");
        }
  }

  TEST_CASE("weights of few bits stay narrow in memory") {
    Noise noise(22);
    Draft draft = product(noise, {DatumType::u4, 32, true, true}, {1, kDepth});
    draft.model.add_output("y", last_of(draft));
    optimise(draft.model);
    std::size_t bytes = 0;
    for (const TypedNode& node : draft.model.nodes())
      if (const Const* constant = node.op.as<Const>())
        bytes += constant->value->tensor().byte_size();
    CHECK(bytes < static_cast<std::size_t>(kDepth * kColumns));  // half a byte each, and scales
  }

  TEST_CASE("weights with scales of 16 bits stay narrow too, and are not rounded to those") {
    Noise noise(24);
    for (const DatumType type : {DatumType::f16, DatumType::bf16}) {
      CAPTURE(type);
      Draft draft;
      const OutletId x = draft.add(cast(whole_floats(noise, {2, kDepth}), type), Given::input);
      const Tensor scales = cast(powers(noise, {kColumns, (kDepth + 31) / 32}), type);
      const OutletId w = draft.wire(
          Dequantize{type, 1, 32},
          {draft.add(integers(noise, DatumType::u4, {kColumns, kDepth}), Given::constant),
           draft.add(scales, Given::constant)});
      draft.model.add_output("y", draft.wire(MatMul{.transpose_b = true}, {x, w}));
      const ValueList before = run_model(draft.model, draft.values);
      optimise(draft.model);
      CHECK(Session(Plan::build(draft.model)).run(draft.values) == before);
      const auto is_narrow = [](const TypedNode& node) {
        const MatMulKernel* product = node.op.as<MatMulKernel>();
        return product && product->weights == DatumType::u4;
      };
      CHECK(std::ranges::count_if(draft.model.nodes(), is_narrow) == 1);
    }
  }

  TEST_CASE("rows are rounded to bytes only where they may be, and so only a little") {
    Noise noise(25);
    for (const std::int64_t rows : {1, 6})
      for (const DatumType type : {DatumType::u4, DatumType::u8}) {
        const Tensor x = whole_floats(noise, {rows, kDepth});
        const Tensor numbers = integers(noise, type, {kColumns, kDepth});
        const Tensor scales = powers(noise, {kColumns, (kDepth + 31) / 32});
        const auto product = [&](bool may_round_a, RowRounding rounding = RowRounding::automatic) {
          Draft one;
          const OutletId a = one.add(x, Given::input);
          const OutletId w =
              one.wire(Dequantize{DatumType::f32, 1, 32},
                       {one.add(numbers, Given::constant), one.add(scales, Given::constant)});
          one.model.add_output(
              "y", one.wire(MatMul{.transpose_b = true, .may_round_a = may_round_a}, {a, w}));
          optimise(one.model, {.rounding = rounding});
          return Session(Plan::build(one.model)).run(one.values)[0].tensor();
        };
        const Tensor exact = product(false), rounded = product(true);
        const kernels::RoundedProducts* const bytes = kernels::int8_kernels(active_isa()).rounded;
        const bool rounds = bytes && static_cast<std::int64_t>(bit_width(type)) <= bytes->most_bits;
        CHECK((exact == rounded) == !rounds);
        CHECK(product(true, RowRounding::never) == exact);
        CHECK(product(false, RowRounding::always) == rounded);
        // No element of x is off by more than a 254th of 3, the greatest.
        const double largest = 0.5 * (type == DatumType::u4 ? 15 : 255);
        const double bound = kDepth * largest * 3 / 254;
        for (std::int64_t i = 0; i < exact.size(); ++i)
          CHECK(std::abs(number_at(exact, i) - number_at(rounded, i)) <= bound);
      }
  }

  TEST_CASE("large weights of 16 bits stay so where few rows meet them") {
    constexpr std::int64_t depth = 1100, columns = 1000;
    Noise noise(26);
    const bool keeps = active_isa() != Isa::baseline;
    for (const DatumType type : {DatumType::f16, DatumType::bf16})
      for (const bool is_transposed : {false, true})
        for (const std::int64_t rows : {1, 3, 40}) {
          CAPTURE(type);
          CAPTURE(is_transposed);
          CAPTURE(rows);
          Draft draft;
          const OutletId x =
              draft.add(cast(whole_floats(noise, {rows, depth}), type), Given::input);
          const Shape shape = is_transposed ? Shape{columns, depth} : Shape{depth, columns};
          const OutletId w = draft.add(cast(whole_floats(noise, shape), type), Given::constant);
          draft.model.add_output("y", draft.wire(MatMul{.transpose_b = is_transposed}, {x, w}));
          const ValueList before = run_model(draft.model, draft.values);
          optimise(draft.model);
          CHECK(Session(Plan::build(draft.model)).run(draft.values) == before);
          const auto is_narrow = [&](const TypedNode& node) {
            const MatMulKernel* product = node.op.as<MatMulKernel>();
            return product && product->weights == type;
          };
          CHECK(std::ranges::count_if(draft.model.nodes(), is_narrow) ==
                (keeps && rows < 32 ? 1 : 0));
        }
  }

  TEST_CASE("weights of 16 bits are packed from wherever a file has them") {
    constexpr std::int64_t size = 300;
    Noise noise(28);
    const Tensor weights = cast(whole_floats(noise, {size, size}), DatumType::f16);
    const auto bytes = weights.bytes();
    const auto file = std::make_shared<std::vector<std::byte>>(bytes.size() + 1);
    std::ranges::copy(bytes, file->begin() + 1);
    const Tensor odd = Tensor::borrowed(DatumType::f16, {size, size}, file->data() + 1, file);
    const Tensor x = cast(whole_floats(noise, {1, size}), DatumType::f16);
    const auto product = [&](const Tensor& w) {
      Draft draft;
      const OutletId a = draft.add(x, Given::input);
      const OutletId b = draft.add(w, Given::constant);
      draft.model.add_output("y", draft.wire(MatMul{}, {a, b}));
      optimise(draft.model);
      return Session(Plan::build(draft.model)).run(draft.values)[0].tensor();
    };
    CHECK(product(odd) == product(weights));
  }

  TEST_CASE("what is dequantised otherwise is multiplied as floats") {
    Noise noise(23);
    const auto is_narrow = [&](Draft& draft, OutletId y) {
      draft.model.add_output("y", y);
      const ValueList before = run_model(draft.model, draft.values);
      optimise(draft.model);
      CHECK(Session(Plan::build(draft.model)).run(draft.values) == before);
      for (const TypedNode& node : draft.model.nodes())
        if (const MatMulKernel* product = node.op.as<MatMulKernel>())
          return product->has_narrow_weights();
      return true;
    };
    Draft along_k;  // a scale for each step
    const OutletId w = along_k.wire(
        Dequantize{DatumType::f32, 0},
        {along_k.add(integers(noise, DatumType::i8, {kDepth, kColumns}), Given::constant),
         along_k.add(powers(noise, {kDepth}), Given::constant)});
    const OutletId x = along_k.add(whole_floats(noise, {2, kDepth}), Given::input);
    CHECK(!is_narrow(along_k, along_k.wire(MatMul{}, {x, w})));
    Draft few;
    const OutletId v = few.wire(Dequantize{DatumType::f32, 1},
                                {few.add(integers(noise, DatumType::i8, {9, 8}), Given::constant),
                                 few.add(powers(noise, {8}), Given::constant)});
    const OutletId u = few.add(whole_floats(noise, {2, 9}), Given::input);
    CHECK(!is_narrow(few, few.wire(MatMul{}, {u, v})));
  }
}
