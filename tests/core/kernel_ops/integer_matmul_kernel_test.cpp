#include "integer_draft.h"
#include "strata/core/ops/matmul.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("integer matmul kernel") {
  TEST_CASE("products of bytes less their zero points") {
    Noise noise(1);
    for (const DatumType a_type : kBytes)
      for (const DatumType b_type : kBytes)
        for (const Given b_given : {Given::constant, Given::input})
          for (int round = 0; round < 12; ++round) {
            const std::int64_t m = noise.number(1, 20), n = noise.number(1, 70),
                               k = noise.number(1, 50);
            std::optional<Tensor> a_zero, b_zero;
            if (round % 4 == 1) a_zero = bytes(noise, a_type, {});
            if (round % 4 >= 2) a_zero = bytes(noise, a_type, {m, 1});
            if (round % 3 == 1) b_zero = bytes(noise, b_type, {});
            if (round % 3 == 2) b_zero = bytes(noise, b_type, {n});
            Draft draft;
            const OutletId a = draft.centred(bytes(noise, a_type, {m, k}), a_zero, Given::input);
            const OutletId b = draft.centred(bytes(noise, b_type, {k, n}), b_zero, b_given);
            const OutletId y = draft.wire(MatMul{}, {a, b});
            const bool casts_zeros = a_zero || (b_zero && b_given == Given::input);
            check_integer(draft, y, kMatMul,
                          casts_zeros ? Becomes::kernel_and_more : Becomes::only_kernel);
          }
  }

  TEST_CASE("large products are shared among threads") {
    Noise noise(2);
    for (const Shape& sizes : {Shape{300, 64, 100}, Shape{3, 700, 900}}) {
      Draft draft;
      const OutletId a = draft.centred(bytes(noise, DatumType::u8, {sizes[0], sizes[1]}),
                                       std::nullopt, Given::input);
      const OutletId b = draft.centred(bytes(noise, DatumType::i8, {sizes[1], sizes[2]}),
                                       std::nullopt, Given::input);
      check_integer(draft, draft.wire(MatMul{}, {a, b}), kMatMul);
    }
  }

  TEST_CASE("batches of integer products broadcast") {
    Noise noise(3);
    struct Shapes {
      Shape a, b;
    };
    for (const auto& [a_shape, b_shape] :
         {Shapes{{2, 3, 5, 7}, {7, 9}}, Shapes{{2, 1, 5, 7}, {3, 7, 9}}, Shapes{{5, 7}, {2, 7, 9}}})
      for (const bool has_zero : {false, true}) {
        std::optional<Tensor> zero;
        if (has_zero) zero = bytes(noise, DatumType::u8, {});
        Draft draft;
        const OutletId a = draft.centred(bytes(noise, DatumType::u8, a_shape), zero, Given::input);
        const OutletId b = draft.centred(bytes(noise, DatumType::u8, b_shape), zero, Given::input);
        check_integer(draft, draft.wire(MatMul{}, {a, b}), kMatMul,
                      has_zero ? Becomes::kernel_and_more : Becomes::only_kernel);
      }
  }

  TEST_CASE("sums of products scaled to floats, with a bias") {
    Noise noise(4);
    const Tensor one = numbers(DatumType::f32, {}, 0.0123, 0),
                 each = numbers(DatumType::f32, {37}, 0.01, 0.0007),
                 rows = numbers(DatumType::f32, {5, 1}, 0.01, 0.0007);
    for (const Given given : {Given::constant, Given::input})
      for (const Tensor& scale : {one, each, rows}) {
        Draft draft;
        const Tensor zero = bytes(noise, DatumType::u8, {});
        const OutletId a = draft.centred(bytes(noise, DatumType::u8, {5, 19}), zero, Given::input);
        const OutletId b =
            draft.centred(bytes(noise, DatumType::i8, {19, 37}), std::nullopt, Given::constant);
        const OutletId scaled = draft.dequantised(draft.wire(MatMul{}, {a, b}), scale, given);
        check_integer(draft, scaled, kMatMul, Becomes::kernel_and_more);
        const OutletId bias = draft.add(each, Given::constant);
        check_integer(draft, draft.binary(BinaryOp::add, bias, scaled), kMatMul,
                      Becomes::kernel_and_more);
      }
  }

  TEST_CASE("integer products take in the requantisation of their sums") {
    Noise noise(5);
    for (const DatumType type : kBytes)
      for (const Tensor& factor :
           {numbers(DatumType::f64, {}, 0.0004, 0), numbers(DatumType::f64, {37}, 0.0001, 0.00003),
            numbers(DatumType::f64, {5, 1}, 0.0001, 0.0003)}) {
        Draft draft;
        const OutletId a =
            draft.centred(bytes(noise, DatumType::u8, {5, 19}), std::nullopt, Given::input);
        const OutletId b =
            draft.centred(bytes(noise, DatumType::i8, {19, 37}), std::nullopt, Given::constant);
        const Tensor offset = numbers(DatumType::f64, {}, 7, 0);
        const OutletId y = draft.requantised(draft.wire(MatMul{}, {a, b}), factor, offset, type);
        check_integer(draft, y, kMatMul);
      }
  }

  TEST_CASE("what is no product of bytes stays as it is") {
    Noise noise(6);
    const Tensor a = bytes(noise, DatumType::u8, {4, 6}), b = bytes(noise, DatumType::i8, {6, 8});
    {
      Draft draft;  // of numbers wider than bytes
      const OutletId x = draft.add(cast(a, DatumType::i32), Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{}, {x, w}), kMatMul, Becomes::no_kernel);
    }
    {
      Draft draft;  // a column that spans 256
      const OutletId x = draft.centred(a, std::nullopt, Given::input);
      const Tensor wide = Tensor::of<std::int32_t>({6, 1}, {-128, 0, 0, 128, 0, 0});
      check_integer(draft, draft.wire(MatMul{}, {x, draft.add(wide, Given::constant)}), kMatMul,
                    Becomes::no_kernel);
    }
    {
      Draft draft;  // transposed
      const OutletId x =
          draft.centred(bytes(noise, DatumType::u8, {6, 4}), std::nullopt, Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{.transpose_a = true}, {x, w}), kMatMul,
                    Becomes::no_kernel);
    }
    {
      Draft draft;  // a zero point for each column of the left operand
      const OutletId x = draft.centred(a, bytes(noise, DatumType::u8, {6}), Given::input);
      const OutletId w = draft.centred(b, std::nullopt, Given::constant);
      check_integer(draft, draft.wire(MatMul{}, {x, w}), kMatMul, Becomes::no_kernel);
    }
  }

  TEST_CASE("many weights stay bytes until then") {
    Noise noise(11);
    for (const bool transposed : {false, true})
      for (const DatumType type : kBytes)
        for (const bool has_zeros : {false, true}) {
          const Shape weights = transposed ? Shape{64, 80} : Shape{80, 64};
          Draft draft;
          std::optional<Tensor> zeros;
          if (has_zeros) zeros = bytes(noise, type, transposed ? Shape{64, 1} : Shape{64});
          const OutletId a =
              draft.centred(bytes(noise, DatumType::u8, {5, 80}), std::nullopt, Given::input);
          const OutletId b = draft.centred(bytes(noise, type, weights), zeros, Given::constant);
          const MatMul op{.transpose_b = transposed};
          check_kept_bytes(draft, draft.wire(op, {a, b}), weights, kMatMul);
        }
  }

  TEST_CASE("columns that are not bytes themselves, but less than 256 apart") {
    Noise noise(7);
    Draft draft;
    const OutletId x =
        draft.centred(bytes(noise, DatumType::u8, {3, 4}), std::nullopt, Given::input);
    const Tensor columns = Tensor::of<std::int32_t>(
        {4, 3}, {1000, -7, -5000, 1255, -128, -5001, 1001, 127, -5255, 1100, 0, -5100});
    check_integer(draft, draft.wire(MatMul{}, {x, draft.add(columns, Given::constant)}), kMatMul);
  }

  TEST_CASE("sums that others read are not converted") {
    Noise noise(8);
    Draft draft;
    const OutletId a =
        draft.centred(bytes(noise, DatumType::u8, {5, 19}), std::nullopt, Given::input);
    const OutletId b =
        draft.centred(bytes(noise, DatumType::i8, {19, 7}), std::nullopt, Given::constant);
    const OutletId sums = draft.wire(MatMul{}, {a, b});
    draft.model.add_output("sums", sums);
    const OutletId y =
        draft.dequantised(sums, numbers(DatumType::f32, {}, 0.1, 0), Given::constant);
    check_integer(draft, y, kMatMul, Becomes::kernel_and_more);
  }

  TEST_CASE("a scale that makes the sums larger is not theirs") {
    Noise noise(9);
    Draft draft;
    const OutletId a =
        draft.centred(bytes(noise, DatumType::u8, {1, 19}), std::nullopt, Given::input);
    const OutletId b =
        draft.centred(bytes(noise, DatumType::i8, {19, 1}), std::nullopt, Given::constant);
    const OutletId y = draft.dequantised(
        draft.wire(MatMul{}, {a, b}), numbers(DatumType::f32, {4, 3}, 0.1, 0.1), Given::constant);
    check_integer(draft, y, kMatMul, Becomes::kernel_and_more);
  }
}
