#include <doctest/doctest.h>

#include <random>

#include "strata/core/ops/activation.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/unary.h"
#include "support/models.h"
#include "support/node_counter.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor noise(const Shape& shape) {
  static std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-1, 1);
  MutableTensor out(DatumType::f32, shape);
  for (float& x : out.as<float>()) x = uniform(random);
  return std::move(out).freeze();
}

struct Operand {
  Shape shape;
  bool constant = false;
};

struct Case {
  std::string name;
  TypedOp op;
  std::vector<Operand> operands;
  std::string kernel;
};

std::vector<Case> cases() {
  const Shape image{2, 6, 9, 7};
  return {
      {"matmul of two inputs", MatMul{}, {{{5, 7}}, {{7, 9}}}, "MatMulKernel"},
      {"batched matmul, broadcast", MatMul{}, {{{3, 1, 5, 7}}, {{2, 7, 9}}}, "MatMulKernel"},
      {"transposed matmul", MatMul{true, true}, {{{2, 7, 5}}, {{2, 9, 7}}}, "MatMulKernel"},
      {"matmul with packed weights", MatMul{}, {{{2, 3, 7}}, {{7, 40}, true}}, "MatMulKernel"},
      {"transposed packed matmul",
       MatMul{true, true},
       {{{2, 7, 3}}, {{40, 7}, true}},
       "MatMulKernel"},
      {"conv", Conv{}, {{image}, {{4, 6, 3, 3}, true}, {{4}, true}}, "ConvKernel"},
      {"padded strided grouped conv",
       Conv{{2, 1}, {1, 2}, {Padding::Kind::fixed, {1, 2, 0, 1}}, 2},
       {{image}, {{4, 3, 3, 2}, true}},
       "ConvKernel"},
      {"same_lower conv",
       Conv{{2, 2}, {}, {Padding::Kind::same_lower, {}}, 1},
       {{image}, {{4, 6, 2, 4}, true}},
       "ConvKernel"},
      {"conv with weights of the run",
       Conv{{2, 1}, {1, 2}, {Padding::Kind::fixed, {1, 2, 0, 1}}, 2},
       {{image}, {{4, 3, 3, 2}}, {{4}}},
       "ConvKernel"},
      {"depthwise conv with weights of the run",
       Conv{.group = 6},
       {{image}, {{6, 1, 3, 3}}},
       "ConvKernel"},
      {"conv of three axes with weights of the run",
       Conv{},
       {{{1, 3, 5, 4, 6}}, {{5, 3, 2, 2, 3}}},
       "ConvKernel"},
      {"conv along one axis", Conv{}, {{{1, 3, 20}}, {{5, 3, 4}, true}}, "ConvKernel"},
      {"max pool", Pool{.kernel = {3, 2}, .strides = {2, 1}}, {{image}}, "PoolKernel"},
      {"average pool, same_upper",
       Pool{.kind = PoolKind::average,
            .kernel = {3, 3},
            .strides = {2, 2},
            .padding = {Padding::Kind::same_upper, {}}},
       {{image}},
       "PoolKernel"},
      {"average pool over padding, ceil",
       Pool{.kind = PoolKind::average,
            .kernel = {3, 3},
            .strides = {2, 2},
            .padding = {Padding::Kind::fixed, {1, 1, 1, 1}},
            .rounding = WindowRounding::ceil,
            .count_padding = true},
       {{image}},
       "PoolKernel"},
      {"tanh", Unary{UnaryOp::tanh}, {{{3, 50}}}, "UnaryKernel"},
      {"leaky relu", Activation{ActivationKind::leaky_relu, 0.1f}, {{{3, 50}}}, "UnaryKernel"},
      {"add a row", Binary{BinaryOp::add}, {{{4, 5, 6}}, {{6}}}, "BinaryKernel"},
      {"subtract from a column", Binary{BinaryOp::sub}, {{{5, 1}}, {{4, 5, 6}}}, "BinaryKernel"},
      {"multiply across", Binary{BinaryOp::mul}, {{{3, 1, 5, 1}}, {{1, 4, 1, 6}}}, "BinaryKernel"},
      {"divide scalars", Binary{BinaryOp::div}, {{{}}, {{}}}, "BinaryKernel"},
      {"softmax", Softmax{}, {{{4, 33}}}, "SoftmaxKernel"},
  };
}

TypedModel model_of(const Case& c, ValueList& inputs) {
  TypedModel model;
  OutletIds wires;
  for (const Operand& operand : c.operands) {
    const Tensor value = noise(operand.shape);
    if (operand.constant) {
      wires.push_back(model.constant("weights" + std::to_string(wires.size()), value));
    } else {
      wires.push_back(
          model.add_source("x" + std::to_string(wires.size()), float_fact(operand.shape)));
      inputs.push_back(value);
    }
  }
  model.add_output("y", model.wire_one("y", c.op, wires));
  return model;
}

bool has_op(const TypedModel& model, std::string_view name) {
  const auto& nodes = model.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const TypedNode& node) { return node.op && node.op.name() == name; });
}

}  // namespace

TEST_SUITE("lowering") {
  TEST_CASE("kernels agree with the reference on every instruction set") {
    for (const Case& c : cases()) {
      for (const Isa isa : supported_isas()) {
        CAPTURE(c.name);
        CAPTURE(to_string(isa));
        ValueList inputs;
        TypedModel model = model_of(c, inputs);
        const ValueList expected = run_model(model, inputs);
        optimise(model, Target{isa});
        CHECK(has_op(model, c.kernel));
        check_close(run_model(model, inputs)[0], expected[0], 1e-4, 1e-5);
      }
    }
  }

  TEST_CASE("a bias and an activation become part of the product") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{3, 8}));
    const OutletId product =
        model.wire_one("product", MatMul{}, {x, model.constant("w", noise({8, 20}))});
    const OutletId sum =
        model.wire_one("sum", Binary{BinaryOp::add}, {product, model.constant("b", noise({20}))});
    model.add_output("y", model.wire_one("y", Unary{UnaryOp::relu}, {sum}));
    const Value input = noise({3, 8});
    const ValueList expected = run_model(model, {&input, 1});
    optimise(model);
    CHECK(model.live_nodes() == 4);  // x, packed w, b, the kernel
    check_close(run_model(model, {&input, 1})[0], expected[0], 1e-4, 1e-5);
  }

  TEST_CASE("a product that others read as well keeps its own result") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{3, 8}));
    const OutletId product =
        model.wire_one("product", MatMul{}, {x, model.constant("w", noise({8, 20}))});
    model.add_output("raw", product);
    model.add_output("y", model.wire_one("y", Unary{UnaryOp::relu}, {product}));
    const Value input = noise({3, 8});
    const ValueList expected = run_model(model, {&input, 1});
    optimise(model);
    const ValueList actual = run_model(model, {&input, 1});
    check_close(actual[0], expected[0], 1e-4, 1e-5);
    check_close(actual[1], expected[1], 1e-4, 1e-5);
  }

  TEST_CASE("sizes that are known at run time only are bound to kernels then") {
    TypedModel model;
    const Fact x = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), 8});
    const OutletId product = model.wire_one(
        "product", MatMul{}, {model.add_source("x", x), model.constant("w", noise({8, 20}))});
    const OutletId target = model.constant("target", Tensor::of<std::int64_t>({2}, {-1, 4}));
    model.add_output(
        "y", model.wire_one("y", Reshape{},
                            {model.wire_one("relu", Unary{UnaryOp::relu}, {product}), target}));
    TypedModel lowered = model;
    optimise(lowered);
    Session session(Plan::build(std::move(lowered)));
    for (const std::int64_t n : {1, 5, 2, 5}) {
      const Value input = noise({n, 8});
      NodeCounter kernels("MatMulKernel");
      check_close(run(session, {input}, kernels)[0], run_model(model, {&input, 1})[0], 1e-4, 1e-5);
      CHECK(kernels.count == 1);
    }
  }
}
