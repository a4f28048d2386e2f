#include <doctest/doctest.h>

#include "kernel_ops/arg_reduce_kernel.h"
#include "kernel_ops/attention_kernel.h"
#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/blocked_conv_kernel.h"
#include "kernel_ops/byte_pair_kernel.h"
#include "kernel_ops/byte_table.h"
#include "kernel_ops/cast_kernel.h"
#include "kernel_ops/concat_kernel.h"
#include "kernel_ops/conv_kernel.h"
#include "kernel_ops/cumulate_kernel.h"
#include "kernel_ops/deconv_kernel.h"
#include "kernel_ops/expand_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/gather_elements_kernel.h"
#include "kernel_ops/gather_kernel.h"
#include "kernel_ops/gru_cell_kernel.h"
#include "kernel_ops/integer_conv_kernel.h"
#include "kernel_ops/integer_matmul_kernel.h"
#include "kernel_ops/lrn_kernel.h"
#include "kernel_ops/lstm_cell_kernel.h"
#include "kernel_ops/matmul_kernel.h"
#include "kernel_ops/norm_kernel.h"
#include "kernel_ops/pad_kernel.h"
#include "kernel_ops/pool_kernel.h"
#include "kernel_ops/pool_places_kernel.h"
#include "kernel_ops/quantize_kernel.h"
#include "kernel_ops/reduce_kernel.h"
#include "kernel_ops/resize_kernel.h"
#include "kernel_ops/scatter_nd_kernel.h"
#include "kernel_ops/select_kernel.h"
#include "kernel_ops/slice_kernel.h"
#include "kernel_ops/softmax_kernel.h"
#include "kernel_ops/split_kernel.h"
#include "kernel_ops/tile_kernel.h"
#include "kernel_ops/top_k_kernel.h"
#include "kernel_ops/transpose_kernel.h"
#include "kernel_ops/trilu_kernel.h"
#include "kernel_ops/unary_kernel.h"
#include "support/models.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// What the baseline's kernels say of these inputs. Its vectors have 4 floats, its tiles 6 x 8, on
/// every architecture.
std::string told_of(const TypedOp& op, const std::vector<Fact>& facts,
                    const ShapeFact& output = Shape{1}) {
  const FactList out{float_fact(output)};
  return op.explain(GatheredFacts(facts), GatheredFacts(out));
}

/// The same of f32 inputs of these shapes.
std::string told(const TypedOp& op, const std::vector<ShapeFact>& inputs,
                 const ShapeFact& output = Shape{1}) {
  std::vector<Fact> facts;
  for (const ShapeFact& shape : inputs) facts.push_back(float_fact(shape));
  return told_of(op, facts, output);
}

bool says(const std::string& text, std::string_view part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

const ShapeFact kRowsUnknown = std::vector<Dim>{Dim::symbol("n"), 64};

}  // namespace

TEST_SUITE("kernels tell why they were chosen") {
  TEST_CASE("a product tells its tile, how full that is, and its passes over the result") {
    const MatMulKernel product{.packed_k = 2048, .packed_n = 64};
    CHECK(
        told(product, {Shape{20, 2048}, Shape{131072}}) ==
        "product, tile of 5 x 8 rows by columns, baseline: 20 rows take 4 tiles of 5, 100 % full; "
        "2 passes of 1024 steps; b is packed before");
    CHECK(says(told(product, {Shape{13, 2048}, Shape{131072}}),
               "13 rows take 3 tiles of 5, 86 % full"));
  }

  TEST_CASE("a product of one row has no tiles, and one of unknown rows any") {
    const MatMulKernel product{.packed_k = 64, .packed_n = 64};
    CHECK(says(told(product, {Shape{1, 64}, Shape{4096}}), "product with a vector, vectors of 4"));
    CHECK(says(told(product, {kRowsUnknown, Shape{4096}}), "tile of 6 x 8"));
    CHECK(says(told(MatMulKernel{}, {Shape{8, 64}, Shape{64, 1}}), "one column"));
  }

  TEST_CASE("a product of bytes names the kernels for bytes") {
    const IntegerMatMulKernel product{.packed_k = 64, .packed_n = 64};
    const std::string text = told(product, {Shape{12, 64}, Shape{4096}});
    CHECK(says(text, "product of bytes, tile of 6 x "));
    CHECK(says(text, "12 rows take 2 tiles of 6, 100 % full"));
  }

  TEST_CASE("a table of bytes says so") {
    const ByteTable table;
    CHECK(says(told(table, {Shape{3, 40}, Shape{256}}),
               "table of 256 bytes, vectors of 4, baseline"));
  }

  TEST_CASE("a function of two bytes says so") {
    const BytePairKernel pair;
    CHECK(says(told(pair, {Shape{3, 40}, Shape{3, 40}}),
               "function of two bytes, vectors of 4, baseline"));
  }

  TEST_CASE("a product of bytes names the kernels for its sizes") {
    IntegerMatMulKernel product{.packed_k = 8, .packed_n = 64};
    product.isa = best_isa();
    const kernels::Int8Kernels& kernels = kernels::int8_kernels(product.isa);
    for (const std::int64_t depth : {8, 800}) {
      product.packed_k = depth;
      CHECK(says(told(product, {Shape{64, depth}, Shape{64 * depth}}),
                 kernels.product_name ? kernels.product_name(64, depth) : kernels.name));
    }
  }

  TEST_CASE("a convolution of bytes names its method") {
    IntegerConvKernel conv;
    const auto told_of_image = [&](std::int64_t channels, std::int64_t size) {
      return told(conv, {Shape{1, channels, size, size}, Shape{4096}},
                  Shape{1, conv.weights[0], size - 2, size - 2});
    };
    conv.weights = {8, 16, 3, 3};
    CHECK(says(told_of_image(16, 9), "product of bytes, tile of 4 x "));
    conv.weights = {32, 16, 3, 3};
    conv.isa = best_isa();
    const kernels::Int8Kernels& kernels = kernels::int8_kernels(conv.isa);
    kernels::ConvShape shape{.in_channels = 16, .out_channels = 32};
    shape.window.kernel[1] = shape.window.kernel[2] = 3;
    CHECK(says(told_of_image(16, 9), "by Winograd") ==
          (kernels.conv_method(shape).way == kernels::ByteConvWay::winograd));
    conv.weights = {32, 3, 3, 3};
    shape.in_channels = 3;
    CHECK(says(told_of_image(3, 9), kernels.conv_name ? kernels.conv_name(shape) : kernels.name));
    shape.in_channels = shape.out_channels = 1;
    conv.group = 16;
    conv.weights = {16, 1, 3, 3};
    CHECK(kernels.conv_method(shape).way == kernels::ByteConvWay::planes);
    CHECK(says(told_of_image(16, 9), "depthwise convolution of bytes"));
    const bool may_lie_across = kernels.conv_method(shape).lies_across_channels != nullptr;
    CHECK(says(told_of_image(16, 9), "across channels") == may_lie_across);
    CHECK(says(told_of_image(16, 60), "along rows"));
  }

  TEST_CASE("a product of no rows says so") {
    const MatMulKernel product{.packed_k = 64, .packed_n = 64};
    const IntegerMatMulKernel of_bytes{.packed_k = 64, .packed_n = 64};
    CHECK(says(told(product, {Shape{0, 64}, Shape{4096}}), "no rows"));
    CHECK(says(told(of_bytes, {Shape{0, 64}, Shape{4096}}), "no rows"));
  }

  TEST_CASE("a convolution of planes tells why it is not one of blocks") {
    ConvKernel conv{.weights = {4, 2, 3, 3}};
    CHECK(says(told(conv, {Shape{1, 2, 9, 9}}, Shape{1, 4, 7, 7}), "do not fill blocks"));
    conv.weights = {16, 16, 1, 1};
    CHECK(says(told(conv, {Shape{1, 16, 9, 9}}, Shape{1, 16, 9, 9}), "no other convolution near"));
    conv.weights = {16, 1, 3, 3}, conv.group = 16;
    CHECK(says(told(conv, {Shape{1, 16, 9, 9}}, Shape{1, 16, 7, 7}), "depthwise convolution"));
  }

  TEST_CASE("a convolution to few pixels says so, for each set of instructions that has it") {
    kernels::ConvShape shape{1, 1, 16, 48, {}};
    shape.window.in[2] = shape.window.out[2] = 2;
    for (const Isa isa : {Isa::baseline, best_isa()}) {
      const bool has_few_pixels =
          kernels::kernels(isa).conv_way(shape) == kernels::ConvWay::few_pixels;
      const ConvKernel conv{.weights = {48, 16, 1, 1}, .isa = isa};
      CHECK(says(told(conv, {Shape{1, 16, 1, 2}}, Shape{1, 48, 1, 2}),
                 "convolution to few pixels") == has_few_pixels);
    }
  }

  TEST_CASE(
      "a convolution of blocks tells what Winograd's way would take, where it could be gone") {
    BlockedConvKernel conv{.strides = {1, 1}, .weights = {64, 64, 3, 3}};
    const Shape x{1, 4, 28, 28, 16}, y{1, 4, 28, 28, 16}, half{1, 4, 14, 14, 16};
    CHECK(says(told(conv, {x}, y), "F(4x4) 2565; Winograd's way is ruled out"));
    conv.method = kernels::BlockedMethod::winograd4;
    CHECK(says(told(conv, {x}, y), "direct 7146, F(2x2) 4080, F(4x4) 2565"));
    CHECK_FALSE(says(told(conv, {x}, y), "ruled out"));
    conv.method = kernels::BlockedMethod::direct, conv.strides = {2, 2};
    CHECK(says(told(conv, {x}, half), "no other way has a kernel for this window"));
  }

  TEST_CASE("a transposed convolution tells what its phases would take") {
    DeconvKernel deconv{.strides = {2, 2}, .weights = {64, 32, 4, 4}};
    const Shape y{1, 32, 64, 64};  // 32 x 32 places: 11 x 11 tiles of 3 x 3, 7 x 7 of 5 x 5
    CHECK(says(told(deconv, {}, y), "by phases of its strides, tile of 6 x 8"));
    CHECK(says(told(deconv, {}, y), "F(5x5) 9819; Winograd's way is ruled out"));
    deconv.method = kernels::BlockedMethod::winograd2;
    CHECK(says(told(deconv, {}, y), "direct 16544, F(3x3) 9836, F(5x5) 9819"));
    CHECK_FALSE(says(told(deconv, {}, y), "ruled out"));
    deconv.group = 2;
    CHECK(says(told(deconv, {}, y), "no other way has a kernel for this window"));
  }

  TEST_CASE("attention tells whether queries are taken one by one") {
    const auto attention = [](std::int64_t queries) {
      return told(AttentionKernel{}, {Shape{2, queries, 16}, Shape{2, 40, 16}, Shape{2, 40, 16}});
    };
    CHECK(says(attention(1), "attention query by query, vectors of 4"));
    CHECK(says(attention(40), "attention by blocks of queries, tile of 6 x 8"));
  }

  TEST_CASE("reductions and softmax tell along which axis vectors lie") {
    const Shape shape{8, 5, 12};
    for (const TypedOp& op :
         {TypedOp(SoftmaxKernel{.axis = 2}), TypedOp(ReduceKernel{.axes = {2}})})
      CHECK(says(told(op, {shape}), "vectors lie along it"));
    for (const TypedOp& op :
         {TypedOp(SoftmaxKernel{.axis = 1}), TypedOp(ReduceKernel{.axes = {1}})})
      CHECK(says(told(op, {shape}), "vectors lie across its axis"));
    CHECK(says(told(ReduceKernel{.axes = {0, 2}}, {shape}), "number by number"));
  }

  TEST_CASE("kernels of short rows tell that they are turned") {
    const Shape shape{9, 5};
    for (const TypedOp& op : {TypedOp(SoftmaxKernel{.axis = 1}), TypedOp(ReduceKernel{.axes = {1}}),
                              TypedOp(ArgReduceKernel{.axis = 1})}) {
      CHECK(says(told(op, {shape}), "they are turned and vectors lie across them"));
      CHECK(says(told(op, {Shape{3, 5}}), "vectors lie along it"));
      CHECK(says(told(op, {Shape{9, 13}}), "vectors lie along it"));
    }
  }

  TEST_CASE("what has no choice names its kernel, its tile and the instruction set") {
    const FusedElementwise chain{.program =
                                     FusedProgram(1, {{.unary = {kernels::Unary::exp, 0, 0}}})};
    CHECK(says(told(chain, {Shape{8}}), "fused chain of 1 steps, vectors of 4, baseline"));
    CHECK(says(told(DeconvKernel{.weights = {8, 8, 2, 2}}, {}), "tile of 6 x 8"));
    const LstmCellKernel lstm{.hidden = 8, .state_size = 8};
    CHECK(says(told(lstm, {Shape{1, 8}, Shape{256}, Shape{1, 8}}), "product with a vector"));
    CHECK(says(told(GruCellKernel{.hidden = 8}, {Shape{6, 8}}), "tile of 6 x 8"));
  }

  TEST_CASE("a norm tells what its scale is of, a pool where its vectors lie") {
    CHECK(told(NormKernel{}, {Shape{4, 8}}) ==
          "norm of rows, vectors of 4, baseline: no scale is near");
    const NormKernel channels{.kind = NormKind::channels};
    CHECK(says(told(channels, {Shape{4, 8}, Shape{4, 1}, Shape{4, 1}}), "of a row's channel"));
    PoolKernel pool{.kernel = {2, 2}};
    CHECK(says(told(pool, {Shape{1, 16, 4, 4}}), "pool of planes, vectors of 4"));
    pool.layout = kernels::Layout::blocks;
    CHECK(says(told(pool, {Shape{1, 1, 4, 4, 16}}), "vectors lie across channels"));
  }

  TEST_CASE("functions tell whether an operand stretches") {
    CHECK(told(UnaryKernel{}, {Shape{8}}) == "function of elements, vectors of 4, baseline");
    CHECK(told(BinaryKernel{}, {Shape{8}, Shape{8}}) ==
          "function of pairs, vectors of 4, baseline");
    CHECK(says(told(BinaryKernel{}, {Shape{2, 8}, Shape{8}}), "one operand stretches"));
  }

  TEST_CASE("a transpose tells whether it copies runs or turns planes") {
    const auto transposed = [](std::vector<std::int64_t> perm) {
      return told(TransposeKernel{std::move(perm)}, {Shape{2, 3, 5, 7}});
    };
    CHECK(says(transposed({1, 0, 2, 3}), "runs of 140 bytes"));
    CHECK(says(transposed({0, 1, 3, 2}), "planes of elements of 4 bytes"));
    CHECK(says(told(TransposeKernel{}, {kRowsUnknown}), "as the sizes have them"));
  }

  TEST_CASE("what moves runs of elements tells how long they are") {
    const Shape x{6, 5, 16};
    CHECK(told(GatherKernel{0}, {x, Shape{3}}) == "gather, runs of 320 bytes");
    CHECK(told(GatherKernel{-1}, {x, Shape{3}}) == "gather, runs of 4 bytes");
    CHECK(told(GatherKernel{0}, {kRowsUnknown, Shape{3}}) == "gather, runs of 256 bytes");
    CHECK(told(ConcatKernel{1}, {x, x}, Shape{6, 10, 16}) == "join, rows of 640 bytes");
    CHECK(told(ConcatKernel{0}, {x, kRowsUnknown}, kRowsUnknown) ==
          "join, rows as long as the sizes have them");
    CHECK(told(SplitKernel{-1, 2}, {x}) == "split, rows of 64 bytes");
    CHECK(told(ScatterNdKernel{}, {x, Shape{3, 1}, Shape{3, 5, 16}}) ==
          "scatter, runs of 320 bytes");
    CHECK(told(ScatterNdKernel{}, {x, Shape{3, 2}, Shape{3, 16}}) == "scatter, runs of 64 bytes");
    CHECK(told(GatherElementsKernel{}, {x, x}) == "gather, element by element");
    CHECK(says(told(TriluKernel{}, {x}), "rows cut at the diagonal"));
    CHECK(says(told(PoolPlacesKernel{}, {x, x}), "with its maximum, a tap at a time"));
  }

  TEST_CASE("copies whose shape depends on operands say so, a pad what is around") {
    for (const TypedOp& op : {TypedOp(SliceKernel{}), TypedOp(TileKernel{}),
                              TypedOp(ExpandKernel{}), TypedOp(PadKernel{})})
      CHECK(says(told(op, {Shape{6, 5}}), "copy, by runs or planes as the sizes have them"));
    CHECK(says(told(PadKernel{}, {Shape{6, 5}}), "one element again and again"));
    CHECK(says(told(PadKernel{PadMode::reflect}, {Shape{6, 5}}), "what it holds, axis by axis"));
  }

  TEST_CASE(
      "running totals and places of extremes tell along which axis vectors lie, where that is "
      "known") {
    const auto along = [](std::int64_t axis) {
      return told_of(CumulateKernel{}, {float_fact(Shape{8, 5}), Fact::of(Tensor::scalar(axis))});
    };
    CHECK(says(along(-1), "running total, vectors of 4, baseline: its axis is the innermost"));
    CHECK(says(along(0), "vectors lie across its axis"));
    CHECK(says(told(ArgReduceKernel{.axis = 1}, {Shape{8, 50, 1}}), "its axis is the innermost"));
    CHECK(says(told(ArgReduceKernel{.axis = -2}, {Shape{8, 5, 2}}), "vectors lie across its axis"));
    CHECK(told_of(CumulateKernel{},
                  {float_fact(Shape{8, 5}), Fact::tensor(DatumType::i64, Shape{})}) ==
          "running total, vectors of 4, baseline");
    CHECK(says(told_of(CumulateKernel{}, {Fact::tensor(DatumType::i32, Shape{8})}),
               "number by number"));
  }

  TEST_CASE("kernels of few types tell whether these are among them") {
    const auto of = [](const TypedOp& op, DatumType type) {
      return told_of(op, {Fact::tensor(type, Shape{8}), Fact::tensor(type, Shape{8})});
    };
    CHECK(says(of(TopKKernel{}, DatumType::f32), "search by keys of 64 bits, vectors of 4"));
    CHECK(says(of(TopKKernel{}, DatumType::i64), "number by number"));
    CHECK(says(of(SelectKernel{}, DatumType::i32), "choice of elements, vectors of 4"));
    CHECK(says(of(SelectKernel{}, DatumType::f64), "by a loop for their width"));
    CHECK(says(of(CastKernel{DatumType::f16}, DatumType::f32), "conversion, vectors of 4"));
    CHECK(says(of(UnaryKernel{{kernels::Unary::to_f16, -1, 1}}, DatumType::f32),
               "rounding to 16 bits, vectors of 4"));
    CHECK(says(of(CastKernel{DatumType::f32}, DatumType::bf16), "conversion, vectors of 4"));
    CHECK(says(of(CastKernel{DatumType::f16}, DatumType::i64), "conversion by way of f32"));
    CHECK(says(of(CastKernel{DatumType::bf16}, DatumType::i64), "number by number"));
    CHECK(says(of(CastKernel{DatumType::i64}, DatumType::i32), "a loop for these types"));
    CHECK(says(of(CastKernel{DatumType::i64}, DatumType::u16), "conversion by way of f32"));
    CHECK(says(of(CastKernel{DatumType::i64}, DatumType::u32), "number by number"));
  }

  TEST_CASE(
      "what quantises tells whose the scales are, a resampling how many axes it does at once") {
    for (const TypedOp& op :
         {TypedOp(QuantizeKernel{.axis = 1}), TypedOp(DequantizeKernel{.axis = 1})}) {
      CHECK(says(told(op, {Shape{6, 5}, Shape{}}),
                 "bytes, vectors of 4, baseline: one scale for all"));
      CHECK(says(told(op, {Shape{6, 5}, Shape{5}}), "a scale for each number of a row"));
      CHECK(says(told(op, {Shape{6, 5, 2}, Shape{5}}), "one scale for a row"));
    }
    const Shape x{1, 2, 8, 8}, taps{2, 16};
    CHECK(says(told(ResizeKernel{.axis = 3}, {x, taps, taps}),
               "resampling, vectors of 4, baseline: one"));
    CHECK(says(told(ResizeKernel{.axis = 2}, {x, taps, taps, taps, taps}),
               "the last two axes at once"));
    CHECK(says(told(ResizeKernel{.axis = 2, .copies = true}, {x, taps}), "resampling by copies"));
    CHECK(says(told(LrnKernel{}, {x}),
               "norm across channels, vectors of 4, baseline: vectors lie along"));
  }
}
