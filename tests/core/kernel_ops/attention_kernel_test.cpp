#include "kernel_ops/attention_kernel.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/kernel_ops/model_writer.h"
#include "kernel_ops/transposition.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/loop_model.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr double kAbsolute = 2e-6;
constexpr float kInf = std::numeric_limits<float>::infinity();

/// softmax(q k^T ..) v, wired op by op.
struct AttentionModel : ModelWriter {
  OutletId q, k, v;

  AttentionModel(const ShapeFact& q_shape, const ShapeFact& k_shape, const ShapeFact& v_shape)
      : q(source("q", q_shape)), k(source("k", k_shape)), v(source("v", v_shape)) {}

  OutletId source(const std::string& name, const ShapeFact& shape) {
    return model.add_source(name, float_fact(shape));
  }
  OutletId products() { return wire(MatMul{.transpose_b = true}, {q, k}); }
  OutletId softmax(OutletId scores) { return wire(Softmax{}, {scores}); }
  /// Ends the model with weights times values.
  TypedModel ended(OutletId weights) {
    model.add_output("y", wire(MatMul{}, {weights, v}));
    return std::move(model);
  }
  TypedModel ended_by_softmax(OutletId scores) { return ended(softmax(scores)); }
};

AttentionModel small() { return {Shape{2, 3, 5, 4}, Shape{2, 3, 7, 4}, Shape{2, 3, 7, 6}}; }
ValueList small_inputs() {
  return {uniform_floats({2, 3, 5, 4}), uniform_floats({2, 3, 7, 4}), uniform_floats({2, 3, 7, 6})};
}

std::size_t fused(TypedModel& model, const ValueList& inputs) {
  const std::size_t count = optimise_and_compare(model, inputs, "fuse_attention", kAbsolute);
  CHECK(count_of_op(model, "AttentionKernel") == count);
  CHECK(count_of_op(model, "SoftmaxKernel") == 1 - count);
  return count;
}

ValueList with(ValueList values, const Tensor& more) {
  values.push_back(more);
  return values;
}

const AttentionKernel& kernel_of(const TypedModel& model) {
  for (const TypedNode& node : model.nodes())
    if (const auto* kernel = node.erased ? nullptr : node.op.as<AttentionKernel>()) return *kernel;
  FAIL("no attention kernel");
  std::abort();
}

}  // namespace

TEST_SUITE("attention kernel") {
  TEST_CASE("a softmax between two products becomes one kernel") {
    AttentionModel m = small();
    TypedModel model = m.ended_by_softmax(m.products());
    CHECK(fused(model, small_inputs()) == 1);
  }

  TEST_CASE("scales are found wherever they stand") {
    AttentionModel m = small();
    m.q = m.binary(BinaryOp::mul, m.q, m.number(2));
    m.k = m.binary(BinaryOp::div, m.k, m.number(4));
    const OutletId scores =
        m.binary(BinaryOp::mul, m.number(3), m.binary(BinaryOp::div, m.products(), m.number(0.5)));
    TypedModel model = m.ended_by_softmax(scores);
    CHECK(fused(model, small_inputs()) == 1);
    CHECK(kernel_of(model).scale == 3);
  }

  TEST_CASE("masks of any shape that stretches are added") {
    for (const Shape& shape : {Shape{}, Shape{7}, Shape{1, 7}, Shape{5, 1}, Shape{5, 7},
                               Shape{2, 1, 1, 7}, Shape{1, 3, 5, 7}, Shape{2, 3, 5, 7}})
      for (const bool comes_first : {false, true}) {
        CAPTURE(shape);
        AttentionModel m = small();
        const OutletId mask = m.source("mask", shape);
        const OutletId scaled = m.binary(BinaryOp::mul, m.products(), m.number(0.5));
        TypedModel model = m.ended_by_softmax(comes_first ? m.binary(BinaryOp::add, mask, scaled)
                                                          : m.binary(BinaryOp::add, scaled, mask));
        CHECK(fused(model, with(small_inputs(), uniform_floats(shape))) == 1);
      }
  }

  TEST_CASE("a mask may stretch queries, keys and heads") {
    AttentionModel m({Shape{1, 1, 4}}, {Shape{1, 4}}, {Shape{7, 6}});
    const OutletId mask = m.source("mask", Shape{3, 5, 7});
    TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::add, m.products(), mask));
    CHECK(fused(model, {uniform_floats({1, 1, 4}), uniform_floats({1, 4}), uniform_floats({7, 6}),
                        uniform_floats({3, 5, 7})}) == 1);
  }

  TEST_CASE("keys and values that are repeated for the heads of a group are shared") {
    const auto repeated = [](AttentionModel& m, OutletId x, const Shape& stretched,
                             const Shape& joined) {
      const auto integers = [&](const Shape& values) {
        return m.model.constant(m.model.unique_name("shape"), Tensor::vector<std::int64_t>(values));
      };
      const OutletId apart = m.wire(Unsqueeze{}, {x, integers({2})});
      const OutletId each = m.wire(Expand{}, {apart, integers(stretched)});
      return m.wire(Reshape{}, {each, integers(joined)});
    };
    for (const Shape& shape : {Shape{}, Shape{5, 7}, Shape{2, 1, 1, 7}, Shape{1, 6, 5, 7}})
      for (const bool shares_values : {true, false}) {
        CAPTURE(shape);
        CAPTURE(shares_values);
        const Shape values = shares_values ? Shape{2, 3, 7, 6} : Shape{2, 6, 7, 6};
        AttentionModel m({Shape{2, 6, 5, 4}}, {Shape{2, 3, 7, 4}}, values);
        const OutletId mask = m.source("mask", shape);
        m.k = repeated(m, m.k, {2, 3, 2, 7, 4}, {2, 6, 7, 4});
        if (shares_values) m.v = repeated(m, m.v, {2, 3, 2, 7, 6}, {2, 6, 7, 6});
        TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::add, m.products(), mask));
        const ValueList inputs{uniform_floats({2, 6, 5, 4}), uniform_floats({2, 3, 7, 4}),
                               uniform_floats(values), uniform_floats(shape)};
        CHECK(fused(model, inputs) == 1);
        CHECK(kernel_of(model).heads_per_key == (shares_values ? 2 : 1));
        CHECK(count_of_op(model, "ExpandKernel") == (shares_values ? 0 : 1));
      }
  }

  TEST_CASE("heads that come by turns are not those of a group") {
    AttentionModel m({Shape{2, 6, 5, 4}}, {Shape{2, 3, 7, 4}}, {Shape{2, 3, 7, 6}});
    const auto by_turns = [&](OutletId x, std::int64_t width) {
      const auto integers = [&](const Shape& values) {
        return m.model.constant(m.model.unique_name("shape"), Tensor::vector<std::int64_t>(values));
      };
      const OutletId apart = m.wire(Unsqueeze{}, {x, integers({1})});
      const OutletId each = m.wire(Expand{}, {apart, integers({2, 2, 3, 7, width})});
      return m.wire(Reshape{}, {each, integers({2, 6, 7, width})});
    };
    m.k = by_turns(m.k, 4);
    m.v = by_turns(m.v, 6);
    TypedModel model = m.ended_by_softmax(m.products());
    CHECK(fused(model, {uniform_floats({2, 6, 5, 4}), uniform_floats({2, 3, 7, 4}),
                        uniform_floats({2, 3, 7, 6})}) == 1);
    CHECK(kernel_of(model).heads_per_key == 1);
  }

  TEST_CASE("products capped by a scaled tanh become part of the attention") {
    AttentionModel m = small();
    const OutletId tanh =
        m.wire(Unary{UnaryOp::tanh}, {m.binary(BinaryOp::div, m.products(), m.number(0.7F))});
    TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::mul, tanh, m.number(0.7F)));
    CHECK(fused(model, small_inputs()) == 1);
    CHECK(kernel_of(model).cap == 0.7F);
  }

  TEST_CASE("a cap of the mask is none of the products, on either side of the sum") {
    for (const bool mask_first : {true, false}) {
      AttentionModel m = small();
      const OutletId mask = m.source("mask", Shape{5, 7});
      const OutletId capped = m.binary(
          BinaryOp::mul, m.wire(Unary{UnaryOp::tanh}, {m.binary(BinaryOp::div, mask, m.number(5))}),
          m.number(5));
      const OutletId products = m.products();
      TypedModel model = m.ended_by_softmax(
          m.binary(BinaryOp::add, mask_first ? capped : products, mask_first ? products : capped));
      CHECK(fused(model, with(small_inputs(), uniform_floats({5, 7}))) == 1);
      CHECK(kernel_of(model).cap == 0);
    }
  }

  TEST_CASE("a cap and scales that are no numbers to divide by stay as they are") {
    const auto by = [](float inner, float outer) {
      AttentionModel m = small();
      const OutletId tanh =
          m.wire(Unary{UnaryOp::tanh}, {m.binary(BinaryOp::div, m.products(), m.number(inner))});
      TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::mul, tanh, m.number(outer)));
      return fused(model, small_inputs());
    };
    CHECK(by(0, 0) == 0);
    CHECK(by(0.7F, 0.8F) == 0);
    AttentionModel m = small();
    const OutletId small_scores = m.binary(BinaryOp::mul, m.products(), m.number(1e-30F));
    TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::mul, small_scores, m.number(1e-30F)));
    CHECK(fused(model, small_inputs()) == 0);
  }

  TEST_CASE("no key at all gives 0") {
    for (const bool is_masked : {false, true}) {
      AttentionModel m(Shape{2, 3, 4}, Shape{2, 0, 4}, Shape{2, 0, 5});
      ValueList inputs{uniform_floats({2, 3, 4}), uniform_floats({2, 0, 4}),
                       uniform_floats({2, 0, 5})};
      OutletId scores = m.products();
      if (is_masked) {
        scores = m.binary(BinaryOp::add, scores, m.source("mask", Shape{3, 1}));
        inputs.push_back(uniform_floats({3, 1}));
      }
      TypedModel model = m.ended_by_softmax(scores);
      optimise(model);
      const ValueList y = run_model(model, inputs);
      CHECK(y[0].tensor() == MutableTensor::zeros(DatumType::f32, {2, 3, 5}).freeze());
    }
  }

  TEST_CASE("queries that see no key give 0 where a select says so") {
    for (const bool reads_own_mask : {true, false}) {
      AttentionModel m = small();
      const OutletId mask = m.source("mask", Shape{5, 7}), other = m.source("other", Shape{5, 7});
      const OutletId weights = m.softmax(m.binary(BinaryOp::add, m.products(), mask));
      const OutletId axes = m.model.constant("axes", Tensor::vector<std::int64_t>({{-1}}));
      const OutletId highest =
          m.wire(Reduce{Reduction::max}, {reads_own_mask ? mask : other, axes});
      const OutletId is_hidden = m.binary(BinaryOp::equal, highest, m.number(-kInf));
      TypedModel model = m.ended(m.wire(Select{}, {is_hidden, m.number(0), weights}));
      MutableTensor hides(DatumType::f32, {5, 7});
      for (std::size_t i = 0; i < 35; ++i) hides.as<float>()[i] = i / 7 == 2 ? -kInf : 0;
      const Tensor numbers = std::move(hides).freeze();
      CHECK(fused(model, with(with(small_inputs(), numbers), numbers)) == reads_own_mask);
    }
  }

  TEST_CASE("transpositions of operands and of the result are absorbed") {
    AttentionModel m({Shape{2, 5, 3, 4}}, {Shape{2, 7, 3, 4}}, {Shape{2, 7, 3, 6}});
    m.q = m.wire(Transpose{{0, 2, 1, 3}}, {m.q});
    m.k = m.wire(Transpose{{0, 2, 3, 1}}, {m.k});
    m.v = m.wire(Transpose{{0, 2, 1, 3}}, {m.v});
    const OutletId y = m.wire(MatMul{}, {m.softmax(m.wire(MatMul{}, {m.q, m.k})), m.v});
    m.model.add_output("y", m.wire(Transpose{{0, 2, 1, 3}}, {y}));
    TypedModel model = std::move(m.model);
    const ValueList inputs{uniform_floats({2, 5, 3, 4}), uniform_floats({2, 7, 3, 4}),
                           uniform_floats({2, 7, 3, 6})};
    CHECK(optimise_and_compare(model, inputs, "absorb_transpose", kAbsolute) == 4);
    CHECK(count_of_op(model, "TransposeKernel") == 0);
    CHECK(kernel_of(model).perm_k == Perm{0, 2, 1, 3});
  }

  TEST_CASE("a result whose rows would be torn apart is transposed afterwards") {
    AttentionModel m({Shape{3, 5, 4}}, {Shape{3, 7, 4}}, {Shape{3, 7, 6}});
    const OutletId y = m.wire(MatMul{}, {m.softmax(m.products()), m.v});
    m.model.add_output("y", m.wire(Transpose{{2, 0, 1}}, {y}));
    TypedModel model = std::move(m.model);
    const ValueList inputs{uniform_floats({3, 5, 4}), uniform_floats({3, 7, 4}),
                           uniform_floats({3, 7, 6})};
    CHECK(optimise_and_compare(model, inputs, "absorb_transpose", kAbsolute) == 0);
    CHECK(count_of_op(model, "TransposeKernel") == 1);
  }

  TEST_CASE("an attention of symbolic sizes is fused") {
    const Dim n = Dim::symbol("n"), m_ = Dim::symbol("m"), b = Dim::symbol("b");
    AttentionModel m(std::vector<Dim>{b, n, Dim(4)}, std::vector<Dim>{b, m_, Dim(4)},
                     std::vector<Dim>{b, m_, Dim(8)});
    const OutletId mask = m.source("mask", std::vector<Dim>{b, Dim(1), m_});
    TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::add, m.products(), mask));
    CHECK(fused(model, {uniform_floats({2, 33, 4}), uniform_floats({2, 70, 4}),
                        uniform_floats({2, 70, 8}), uniform_floats({2, 1, 70})}) == 1);
    for (const std::int64_t queries : {1, 0, 300})
      CHECK(run_model(model, ValueList{uniform_floats({1, queries, 4}), uniform_floats({1, 9, 4}),
                                       uniform_floats({1, 9, 8}), uniform_floats({1, 1, 9})})[0]
                .tensor()
                .shape() == Shape{1, queries, 8});
  }

  TEST_CASE("keys and values that do not meet are refused when it shows") {
    const auto of = [](const char* name) { return std::vector<Dim>{Dim::symbol(name), Dim(4)}; };
    AttentionModel m(of("n"), of("k"), of("v"));
    TypedModel model = m.ended_by_softmax(m.products());
    const auto run = [&](std::int64_t keys, std::int64_t values) {
      const ValueList inputs{uniform_floats({3, 4}), uniform_floats({keys, 4}),
                             uniform_floats({values, 4})};
      return run_model(model, inputs);
    };
    optimise(model);
    REQUIRE(count_of_op(model, "AttentionKernel") == 1);
    CHECK_NOTHROW(run(5, 5));
    CHECK_THROWS_WITH_AS(run(5, 6), doctest::Contains("inner sizes 5 and 6 differ"), Error);
  }

  TEST_CASE("random shapes, shared among threads too") {
    std::mt19937 random(3);
    const auto number = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    for (int round = 0; round < 60; ++round) {
      const std::int64_t batch = number(1, 2), heads = number(1, 4),
                         queries = number(0, 2) ? number(1, 90) : 1, keys = number(1, 300),
                         depth = number(1, 70), width = number(0, 1) ? 64 : number(1, 70);
      const Shape q{batch, queries, heads, depth},
          k{number(0, 1) ? batch : 1, keys, number(0, 1) ? heads : 1, depth},
          v{batch, keys, heads, width};
      AttentionModel m(q, k, v);
      for (OutletId* x : {&m.q, &m.k, &m.v}) *x = m.wire(Transpose{{0, 2, 1, 3}}, {*x});
      const OutletId scores = m.binary(BinaryOp::mul, m.products(), m.number(0.2F));
      const OutletId y = m.wire(MatMul{}, {m.softmax(scores), m.v});
      m.model.add_output("y", m.wire(Transpose{{0, 2, 1, 3}}, {y}));
      const ValueList inputs{uniform_floats(q), uniform_floats(k), uniform_floats(v)};
      CAPTURE(round);
      CHECK(optimise_and_compare(m.model, inputs, "fuse_attention", kAbsolute) == 1);
      const auto plan = Plan::build(m.model);
      Session alone(plan), shared(plan, {.threads = 3});
      CHECK(alone.run(inputs)[0] == shared.run(inputs)[0]);
    }
  }

  TEST_CASE("what is no attention stays as it is") {
    SUBCASE("the softmax is over another axis") {
      AttentionModel m = small();
      TypedModel model = m.ended(m.wire(Softmax{SoftmaxKind::softmax, {2}}, {m.products()}));
      CHECK(optimise_and_compare(model, small_inputs(), "fuse_attention", kAbsolute) == 0);
    }
    SUBCASE("the weights are read elsewhere") {
      AttentionModel m = small();
      const OutletId weights = m.softmax(m.products());
      m.model.add_output("weights", weights);
      TypedModel model = m.ended(weights);
      CHECK(fused(model, small_inputs()) == 0);
    }
    SUBCASE("the scores are read elsewhere") {
      AttentionModel m = small();
      const OutletId scores = m.products();
      m.model.add_output("scores", scores);
      TypedModel model = m.ended_by_softmax(scores);
      CHECK(fused(model, small_inputs()) == 0);
    }
    SUBCASE("keys are constant") {
      AttentionModel m = small();
      m.k = m.model.constant("keys", uniform_floats({7, 4}));
      TypedModel model = m.ended_by_softmax(m.products());
      CHECK(fused(model, small_inputs()) == 0);
    }
    SUBCASE("the scale is one for each head") {
      AttentionModel m = small();
      const OutletId scale = m.model.constant("scale", uniform_floats({3, 1, 1}));
      TypedModel model = m.ended_by_softmax(m.binary(BinaryOp::mul, m.products(), scale));
      CHECK(fused(model, small_inputs()) == 0);
    }
    SUBCASE("the weights are on the right") {
      AttentionModel m({Shape{5, 4}}, {Shape{7, 4}}, {Shape{6, 5}});
      m.model.add_output("y", m.wire(MatMul{}, {m.v, m.softmax(m.products())}));
      TypedModel model = std::move(m.model);
      CHECK(fused(model,
                  {uniform_floats({5, 4}), uniform_floats({7, 4}), uniform_floats({6, 5})}) == 0);
    }
  }

  TEST_CASE("a cache that attention reads grows in front") {
    TypedModel body;
    const OutletId cache =
        body.add_source("cache", float_fact(std::vector<Dim>{Dim(3), Dim::symbol("n"), Dim(4)}));
    const OutletId row = body.add_source("row", float_fact(Shape{3, 1, 4}));
    const OutletId grown = body.wire_one("grown", Concat{1}, {cache, row});
    const OutletId weights = body.wire_one(
        "weights", Softmax{}, {body.wire_one("scores", MatMul{.transpose_b = true}, {row, grown})});
    const OutletId seen = body.wire_one("seen", MatMul{}, {weights, grown});
    body.add_output("cache_on", grown);
    body.add_output("seen", seen);
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried}, {LoopInput::Kind::scanned, 1, 1, false}};
    loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 1, false}};
    const Fact start = float_fact(std::vector<Dim>{Dim(3), Dim::symbol("start"), Dim(4)});
    TypedModel model = model_of(loop, {start, float_fact(Shape{3, 20, 4})}, {0, 1});
    const ValueList inputs{uniform_floats({3, 2, 4}), uniform_floats({3, 20, 4})};
    CHECK(optimise_and_compare(model, inputs, "grow_in_front", kAbsolute) == 1);
    REQUIRE(loop_of(model) != nullptr);
    CHECK(kernel_of(*loop_of(model)->body).perm_v == Perm{1, 0, 2});
  }
}
