#include <functional>

#include "core/kernel_ops/image_net.h"
#include "kernel_ops/cast_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "support/loop_model.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr DatumType kNarrow[] = {DatumType::f16, DatumType::bf16};

/// A unit in the last place: sums made in another order may end on the other side of a middle.
KernelTolerance one_unit(DatumType type) {
  return type == DatumType::f16 ? KernelTolerance{1e-3, 1e-6} : KernelTolerance{8e-3, 1e-6};
}

/// Uniform in [-1, 1), rounded to the type.
Tensor noise_of(DatumType type, const Shape& shape) { return cast(uniform_floats(shape), type); }

/// Every number of 16 bits, those that are none too.
Tensor all_numbers(DatumType type) {
  MutableTensor out(type, {1 << 16});
  const auto bytes = out.storage_as<std::uint16_t>();
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint16_t>(i);
  return std::move(out).freeze();
}

/// A model put together op by op, with the values of its inputs.
struct Draft {
  TypedModel model;
  ValueList inputs;
  int count = 0;

  std::string name() { return cat("w", count++); }
  OutletId input(const Tensor& value) {
    inputs.push_back(value);
    return model.add_source(name(), Fact::tensor(value.dtype(), value.shape()));
  }
  OutletId constant(const Tensor& value) { return model.constant(name(), value); }
  OutletId integers(const std::vector<std::int64_t>& values) {
    return constant(Tensor::vector<std::int64_t>(std::span(values)));
  }
  OutletId wire(const TypedOp& op, const OutletIds& in) { return model.wire_one(name(), op, in); }

  /// Optimises, and checks the outputs against those of the ops' own evaluation.
  void check(const OutletIds& outputs, KernelTolerance tolerance) {
    for (const OutletId output : outputs) model.add_output(name(), output);
    const ValueList expected = run_model(model, inputs);
    optimise(model);
    const ValueList actual = run_model(model, inputs);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      if (!(actual[i] == expected[i]))
        check_close(actual[i], expected[i], tolerance.relative, tolerance.absolute);
  }
  std::size_t live(std::string_view op) const { return count_of_op(model, op); }
};

}  // namespace

TEST_SUITE("narrow floats in f32") {
  TEST_CASE("ops with a kernel of f32 alone are computed by it") {
    for (const DatumType type : kNarrow) {
      CAPTURE(type);
      const auto x = [&](const Shape& shape) { return KernelOperand{noise_of(type, shape)}; };
      const auto fixed = [&](const Shape& shape) {
        return KernelOperand{noise_of(type, shape), true};
      };
      // Sums of products that cancel leave few digits of what was added.
      const KernelTolerance sums{one_unit(type).relative, one_unit(type).relative / 100};
      const auto is_lowered = [&](const TypedOp& op, const std::vector<KernelOperand>& in,
                                  std::string_view kernel) {
        CAPTURE(kernel);
        check_lowered_when_fixed(op, in, kernel, sums);
      };
      is_lowered(MatMul{}, {x({5, 40}), fixed({40, 33})}, "MatMulKernel");
      is_lowered(MatMul{.transpose_b = true}, {x({2, 5, 40}), x({2, 9, 40})}, "MatMulKernel");
      is_lowered(MatMul{}, {x({0, 4}), fixed({4, 3})}, "MatMulKernel");
      Conv conv;
      conv.padding.amounts = {1, 1, 1, 1};
      is_lowered(conv, {x({1, 32, 9, 9}), fixed({32, 32, 3, 3}), fixed({32})}, "BlockedConvKernel");
      is_lowered(conv, {x({2, 3, 7, 8}), fixed({5, 3, 3, 3})}, "ConvKernel");
      is_lowered(conv, {x({2, 3, 7, 8}), x({5, 3, 3, 3})}, "ConvKernel");
      is_lowered(Deconv{.strides = {2, 2}}, {x({1, 4, 5, 5}), fixed({4, 6, 2, 2})}, "DeconvKernel");
      is_lowered(Pool{.kind = PoolKind::average, .kernel = {3, 2}}, {x({1, 3, 8, 9})},
                 "PoolKernel");
      is_lowered(LayerNorm{-1, 1e-5F}, {x({4, 50}), fixed({50}), fixed({50})}, "NormKernel");
      is_lowered(Softmax{SoftmaxKind::softmax, {-1}}, {x({4, 50})}, "SoftmaxKernel");
      is_lowered(Softmax{SoftmaxKind::log_softmax, {0}}, {x({4, 50})}, "SoftmaxKernel");
      is_lowered(Lrn{.size = 3}, {x({1, 6, 4, 4})}, "LrnKernel");
      is_lowered(Cumulate{}, {x({4, 50}), {Tensor::scalar(std::int64_t{1}), true}},
                 "CumulateKernel");
      is_lowered(Reduce{Reduction::mean},
                 {x({4, 50}), {Tensor::vector<std::int64_t>(std::vector<std::int64_t>{1}), true}},
                 "ReduceKernel");
      is_lowered(GridSample{}, {x({1, 9, 6, 5}), x({1, 4, 7, 2})}, "GridSampleKernel");
      is_lowered(Resize{.mode = ResizeMode::linear},
                 {x({1, 2, 4, 4}), {Tensor::vector<float>(std::vector<float>{1, 1, 2, 2}), true}},
                 "ResizeKernel");
    }
  }

  TEST_CASE("what picks numbers gives them bit by bit") {
    for (const DatumType type : kNarrow) {
      const Tensor all = all_numbers(type).reshaped({1, 1, 256, 256});
      for (const TypedOp& op :
           {TypedOp(Pool{.kind = PoolKind::max, .kernel = {2, 3}, .strides = {2, 1}}),
            TypedOp(Unary{UnaryOp::relu})}) {
        CAPTURE(op.name());
        Draft draft;
        const OutletId y = draft.wire(op, {draft.input(all)});
        draft.check({draft.wire(Unary{UnaryOp::neg}, {y})}, {});
      }
    }
  }

  TEST_CASE("functions of all numbers, one behind the other, give what each rounded gives") {
    using enum UnaryOp;
    for (const DatumType type : kNarrow)
      for (const UnaryOp op :
           {ceil, exp, gelu, hard_swish, reciprocal, sigmoid, sqrt, square, tanh}) {
        CAPTURE(type);
        CAPTURE(static_cast<int>(op));
        Draft draft;
        const OutletId y = draft.wire(Unary{op}, {draft.input(all_numbers(type))});
        const OutletId two = draft.constant(cast(Tensor::scalar(2.0F), type));
        draft.check({draft.wire(Binary{BinaryOp::mul}, {y, two})}, one_unit(type));
        CHECK(draft.live("FusedElementwise") == 1);
        CHECK(draft.live("CastKernel") == 2);
      }
  }

  TEST_CASE("what an op gives is rounded before the next one reads it") {
    // 2049 lies halfway between two f16, of which 2048 is the even one; 257 likewise for bf16.
    for (const auto& [type, large] :
         {std::pair{DatumType::f16, 2048.0F}, {DatumType::bf16, 256.0F}}) {
      Draft draft;
      const OutletId x =
          draft.input(cast(Tensor::vector<float>(std::vector<float>(9, large)), type));
      const auto number = [&](float value) {
        return draft.constant(cast(Tensor::scalar(value), type));
      };
      const OutletId sum = draft.wire(Binary{BinaryOp::add}, {x, number(1)});
      const OutletId rest = draft.wire(Binary{BinaryOp::sub}, {sum, number(large)});
      draft.model.add_output("y", rest);
      optimise(draft.model);
      CHECK(draft.live("FusedElementwise") == 1);
      const Tensor y = run_model(draft.model, draft.inputs)[0].tensor();
      CHECK(Value(y) == Value(cast(Tensor::vector<float>(std::vector<float>(9, 0)), type)));
    }
  }

  TEST_CASE("a clip whose bounds are no narrow floats stays behind the rounding") {
    Draft draft;
    const OutletId x = draft.input(Tensor::vector<float>(std::vector<float>{0.05F, 0.3F}));
    const OutletId there = draft.wire(Cast{DatumType::f16}, {x});
    const OutletId back = draft.wire(Cast{DatumType::f32}, {there});
    const OutletId bounded =
        draft.wire(Binary{BinaryOp::max}, {back, draft.constant(Tensor::scalar(0.1F))});
    draft.model.add_output("y", bounded);
    optimise(draft.model);
    const Tensor y = run_model(draft.model, draft.inputs)[0].tensor();
    CHECK(y.as<float>()[0] == 0.1F);
    CHECK(y.as<float>()[1] == 0x1.334p-2F);  // 0.3 with 11 bits
  }

  TEST_CASE("a net of convolutions stays in f32, and in blocks, from edge to edge") {
    for (const DatumType type : kNarrow) {
      Draft draft;
      OutletId x = draft.input(noise_of(type, {1, 3, 24, 24}));
      std::int64_t channels = 3;
      for (int layer = 0; layer < 3; ++layer) {
        Conv conv;
        conv.padding.amounts = {1, 1, 1, 1};
        const Tensor weights = noise_of(type, {32, channels, 3, 3});
        x = draft.wire(conv, {x, draft.constant(weights), draft.constant(noise_of(type, {32}))});
        x = draft.wire(Unary{UnaryOp::relu}, {x});
        const OutletId tenth = draft.constant(cast(Tensor::scalar(0.0625F), type));
        x = draft.wire(Binary{BinaryOp::mul}, {x, tenth});
        channels = 32;
      }
      x = draft.wire(Pool{.kind = PoolKind::max, .kernel = {2, 2}, .strides = {2, 2}}, {x});
      draft.check({x}, {4 * one_unit(type).relative, 4 * one_unit(type).relative});
      CHECK(draft.live("CastKernel") == 2);
      CHECK(draft.live("BlockedConvKernel") == 3);
      CHECK(draft.live("BlockChannels") == 0);
      CHECK(draft.live("UnblockChannels") == 1);
      CHECK(draft.live("UnaryKernel") == 0);
    }
  }

  TEST_CASE("what moves elements between two ops moves them in f32") {
    for (const DatumType type : kNarrow) {
      Draft draft;
      const OutletId x = draft.input(noise_of(type, {6, 16}));
      OutletId y = draft.wire(MatMul{}, {x, draft.constant(noise_of(type, {16, 24}))});
      const OutletIds halves =
          draft.model.wire("halves", Split{1, 2}, {y, draft.integers({12, 12})});
      y = draft.wire(Concat{0}, {halves[1], halves[0]});
      y = draft.wire(Reshape{}, {y, draft.integers({3, 4, 12})});
      y = draft.wire(Transpose{{0, 2, 1}}, {y});
      y = draft.wire(Slice{}, {y, draft.integers({1}), draft.integers({11}), draft.integers({1})});
      const OutletId none = draft.constant(cast(Tensor::scalar(-8.0F), type));
      const OutletId is_shown = draft.constant(cast(uniform_floats({10, 4}), DatumType::boolean));
      y = draft.wire(Select{}, {is_shown, y, none});
      draft.check({draft.wire(Softmax{SoftmaxKind::softmax, {-1}}, {y})}, {4e-2, 4e-3});
      CHECK(draft.live("CastKernel") == 2);
    }
  }

  TEST_CASE("tests for what is not finite look at narrow bits, or at what is in f32 already") {
    for (const DatumType type : kNarrow)
      for (const UnaryOp op : {UnaryOp::is_nan, UnaryOp::is_inf}) {
        Draft draft;
        const OutletId x = draft.input(all_numbers(type));
        draft.check({draft.wire(Unary{op}, {x})}, {});
        CHECK(draft.live("CastKernel") == 0);
        Draft behind;
        const OutletId y = behind.wire(Unary{UnaryOp::exp}, {behind.input(all_numbers(type))});
        behind.check({behind.wire(Unary{op}, {y})}, {});
        CHECK(behind.live("CastKernel") == 1);  // of the input
      }
  }

  TEST_CASE("a product of floats a model narrows itself needs no conversion back") {
    Draft draft;
    const OutletId x = draft.input(uniform_floats({6, 16}));
    const OutletId y = draft.wire(MatMul{}, {draft.wire(Cast{DatumType::f16}, {x}),
                                             draft.constant(noise_of(DatumType::f16, {16, 24}))});
    draft.check({draft.wire(Cast{DatumType::f32}, {y})}, {1e-3, 1e-4});
    CHECK(draft.live("CastKernel") == 0);
    CHECK(draft.live("UnaryKernel") == 1);
  }

  TEST_CASE("a loop over narrow floats computes in f32 within each iteration") {
    auto symbols = std::make_shared<SymbolScope>();
    TypedModel body(symbols);
    const Fact row = Fact::tensor(DatumType::f16, Shape{1, 16});
    const OutletId state = body.add_source("state", row), x = body.add_source("x", row);
    const OutletId w = body.constant("w", noise_of(DatumType::f16, {16, 16}));
    const OutletId product = body.wire_one("product", MatMul{}, {state, w});
    const OutletId sum = body.wire_one("sum", Binary{BinaryOp::add}, {product, x});
    const OutletId next = body.wire_one("next", Unary{UnaryOp::tanh}, {sum});
    body.add_output("next", next);
    body.add_output("step", next);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, kScanned};
    loop.outputs = {{LoopOutput::Kind::last, 0}, kStacked};
    Draft draft{TypedModel(symbols), {}, 0};
    const OutletId first = draft.input(noise_of(DatumType::f16, {1, 16}));
    const OutletId rows = draft.input(noise_of(DatumType::f16, {7, 16}));
    const OutletIds out = draft.model.wire("loop", loop, {first, rows});
    draft.check(out, {5e-3, 5e-3});
    const Loop* lowered = loop_of(draft.model);
    REQUIRE(lowered);
    CHECK(count_of_op(*lowered->body, "MatMulKernel") == 1);
  }
}
