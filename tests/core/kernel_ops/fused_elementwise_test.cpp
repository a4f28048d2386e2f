#include "kernel_ops/fused_elementwise.h"

#include <doctest/doctest.h>

#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr BinaryOp kBinary[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::min,
                                BinaryOp::max};
constexpr UnaryOp kUnary[] = {UnaryOp::tanh, UnaryOp::sigmoid, UnaryOp::relu, UnaryOp::neg,
                              UnaryOp::abs,  UnaryOp::erf,     UnaryOp::silu, UnaryOp::square};

std::size_t pick(Noise& noise, std::size_t count) {
  return static_cast<std::size_t>(noise.number(0, static_cast<std::int64_t>(count) - 1));
}

/// A random expression over inputs of shapes that broadcast to `shape`.
TypedModel random_model(Noise& noise, const Shape& shape, ValueList& inputs) {
  TypedModel model;
  OutletIds wires;
  for (std::size_t i = 0; i < 4; ++i) {
    Shape own = shape;
    if (i > 0)
      for (std::int64_t& size : own)
        if (noise.number(0, 2) == 0) size = 1;
    while (i > 0 && !own.empty() && noise.number(0, 3) == 0) own.erase(own.begin());
    inputs.push_back(noise.tensor(DatumType::f32, own));
    wires.push_back(model.add_source(cat("x", i), float_fact(own)));
  }
  OutletId last = wires[0];
  for (std::int64_t i = noise.number(2, 30); i > 0; --i) {
    if (noise.number(0, 2) == 0) {
      last = model.wire_one(cat("u", i), Unary{kUnary[pick(noise, std::size(kUnary))]}, {last});
    } else {
      const OutletId other = wires[pick(noise, wires.size())];
      const bool first = noise.number(0, 1) == 0;
      last = model.wire_one(cat("b", i), Binary{kBinary[pick(noise, std::size(kBinary))]},
                            first ? OutletIds{last, other} : OutletIds{other, last});
    }
    // tanh keeps products of many factors in range.
    if (i % 3 == 0) last = model.wire_one(cat("t", i), Unary{UnaryOp::tanh}, {last});
    if (noise.number(0, 3) == 0) wires.push_back(last);
  }
  model.add_output("y", last);
  return model;
}

FusedStep unary(kernels::Unary op, std::size_t a) { return {.unary = {op, 0.5F, 2.0F}, .a = a}; }
FusedStep binary(kernels::Binary op, std::size_t a, std::size_t b) {
  return {.binary = op, .a = a, .b = b};
}

}  // namespace

TEST_SUITE("fused elementwise") {
  TEST_CASE("random expressions give what their ops give one by one") {
    Noise noise(1);
    std::size_t fused = 0;
    for (int round = 0; round < 300; ++round) {
      CAPTURE(round);
      const auto rank = static_cast<std::size_t>(noise.number(0, 4));
      Shape shape = noise.shape(rank, noise.number(0, 9) > 0, 6);
      if (round % 10 == 0) shape = {3, 700};
      if (round % 10 == 1) shape = {700, 3};
      ValueList inputs;
      TypedModel model = random_model(noise, shape, inputs);
      const ValueList expected = run_model(model, inputs);
      for (const Isa isa : supported_isas()) {
        TypedModel lowered = model;
        optimise(lowered, Target{isa});
        fused += count_of_op(lowered, "FusedElementwise");
        check_close(run_model(lowered, inputs)[0], expected[0], 1e-3, 1e-4);
      }
    }
    CHECK(fused > 300);
  }

  TEST_CASE("a chain becomes one node, with inputs of the output's shape first") {
    TypedModel model;
    const OutletId scale = model.add_source("scale", float_fact(Shape{5})),
                   x = model.add_source("x", float_fact(Shape{4, 5}));
    const OutletId scaled = model.wire_one("scaled", Binary{BinaryOp::mul}, {scale, x});
    const OutletId gate = model.wire_one("gate", Unary{UnaryOp::sigmoid}, {scaled});
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {gate, x}));
    optimise(model);
    CHECK(model.live_nodes() == 3);
    const TypedNode& node = model.nodes().back();
    CHECK(node.op.name() == "FusedElementwise");
    CHECK(model.fact(node.inputs[0]).shape == ShapeFact(Shape{4, 5}));
    CHECK(
        (attribute_values(*node.op.as<FusedElementwise>())[0].value ==
         AttrValue(std::vector<std::string>{"inputs 2", "mul x1 x0", "sigmoid s0", "add s1 x0"})));
  }

  TEST_CASE("a run becomes as few programs as hold its steps, each at one stroke") {
    constexpr std::size_t kSteps = 2 * FusedProgram::kMostSteps + 5;
    TypedModel model;
    OutletId last = model.add_source("x", float_fact(Shape{4, 5}));
    for (std::size_t i = 0; i < kSteps; ++i)
      last = model.wire_one(cat("step", i), Unary{i % 2 ? UnaryOp::neg : UnaryOp::tanh}, {last});
    model.add_output("y", last);
    const RewriteReport report = optimise(model);
    CHECK(count_of_op(model, "FusedElementwise") == 3);
    CHECK(model.live_nodes() == 4);
    CHECK(report.firings.at("fuse_elementwise") == 3);
  }

  TEST_CASE("a program fits that keeps no more results at once than there are buffers") {
    const auto steps_that_keep = [](std::size_t results) {
      std::vector<FusedStep> steps(results, unary(kernels::Unary::exp, 0));
      for (std::size_t i = 1; i < results; ++i)
        steps.push_back(binary(kernels::Binary::add, i == 1 ? 1 : results + i - 1, i + 1));
      return steps;
    };
    constexpr std::size_t kMost = FusedProgram::kMostSlots;
    const auto fitting = FusedProgram::if_it_fits(1, steps_that_keep(kMost));
    REQUIRE(fitting);
    CHECK(fitting->slots() == kMost);
    CHECK(!FusedProgram::if_it_fits(1, steps_that_keep(kMost + 1)));
    CHECK_THROWS_WITH_AS(FusedProgram(1, steps_that_keep(kMost + 1)),
                         doctest::Contains("needs 7 buffers, at most 6"), Error);
  }

  TEST_CASE("two runs that meet become one program") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{4})),
                   y = model.add_source("y", float_fact(Shape{4}));
    const OutletId a = model.wire_one("a", Unary{UnaryOp::tanh}, {x}),
                   b = model.wire_one("b", Unary{UnaryOp::neg}, {a}),
                   c = model.wire_one("c", Unary{UnaryOp::sigmoid}, {y});
    model.add_output("z", model.wire_one("z", Binary{BinaryOp::sub}, {c, b}));
    optimise(model);
    REQUIRE(model.live_nodes() == 3);
    const auto* fused = model.nodes().back().op.as<FusedElementwise>();
    REQUIRE(fused);
    CHECK(fused->program.steps().size() == 4);
  }

  TEST_CASE("a result that others read as well is kept") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{4}));
    const OutletId a = model.wire_one("a", Unary{UnaryOp::tanh}, {x});
    const OutletId b = model.wire_one("b", Unary{UnaryOp::sigmoid}, {a});
    model.add_output("a", a);
    model.add_output("b", b);
    optimise(model);
    CHECK(count_of_op(model, "FusedElementwise") == 0);
    CHECK(count_of_op(model, "UnaryKernel") == 2);
  }

  TEST_CASE("a result of a smaller shape is computed once, by its own node") {
    TypedModel model;
    const OutletId x = model.add_source("x", float_fact(Shape{4, 5})),
                   row = model.add_source("row", float_fact(Shape{5}));
    const OutletId a = model.wire_one("a", Unary{UnaryOp::tanh}, {row});
    model.add_output("y", model.wire_one("y", Binary{BinaryOp::mul}, {x, a}));
    optimise(model);
    CHECK(count_of_op(model, "FusedElementwise") == 0);
  }

  TEST_CASE(
      "a product that nothing but the next step reads, and that in a sum, is added in its pass") {
    const auto products_added = [](std::vector<std::string> steps) {
      steps.insert(steps.begin(), "inputs 3");
      FusedProgram program;
      from_attr(AttrValue(steps), program);
      std::string out;
      for (const FusedStep& step : program.steps()) out += step.is_added ? '+' : '.';
      return out;
    };
    CHECK(products_added({"mul x0 x1", "add s0 x2"}) == "+.");
    CHECK(products_added({"mul x0 x1", "add x2 s0", "mul s1 x1", "add s2 x2"}) == "+.+.");
    CHECK(products_added({"mul x0 x1", "add s0 s0"}) == "..");
    CHECK(products_added({"mul x0 x1", "add s0 x2", "mul s0 s1"}) == "...");
    CHECK(products_added({"mul x0 x1", "tanh x2", "add s0 s1"}) == "...");
    CHECK(products_added({"mul x0 x1", "sub s0 x2"}) == "..");
    CHECK(products_added({"div x0 x1", "add s0 x2", "mul s1 x2"}) == "...");
  }

  TEST_CASE("products and sums of numbers, columns and rows, whichever is the first operand") {
    Noise noise(3);
    const Shape shapes[] = {{3, 1500}, {1, 1500}, {3, 1}, {1, 1}, {1500}};
    for (const Shape& a : shapes)
      for (const Shape& b : shapes)
        for (const Shape& c : shapes)
          for (const std::string& sum : {std::string("add s0 x2"), std::string("add x2 s0")}) {
            const ValueList inputs = {noise.tensor(DatumType::f32, a),
                                      noise.tensor(DatumType::f32, b),
                                      noise.tensor(DatumType::f32, c)};
            TypedModel model;
            OutletIds in;
            for (const Value& input : inputs)
              in.push_back(
                  model.add_source(cat("x", in.size()), float_fact(input.tensor().shape())));
            const OutletId product =
                model.wire_one("product", Binary{BinaryOp::mul}, {in[0], in[1]});
            model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {product, in[2]}));
            const Value expected = run_model(model, inputs)[0];
            for (const Isa isa : supported_isas()) {
              FusedProgram program;
              from_attr(AttrValue(std::vector<std::string>{"inputs 3", "mul x0 x1", sum}), program);
              TypedModel fused;
              OutletIds same;
              for (const Value& input : inputs)
                same.push_back(
                    fused.add_source(cat("x", same.size()), float_fact(input.tensor().shape())));
              fused.add_output("y", fused.wire_one("y", FusedElementwise{program, isa}, same));
              CHECK(run_model(fused, inputs)[0] == expected);
            }
          }
  }

  TEST_CASE("programs are read as they are written") {
    using kernels::Binary;
    using kernels::Unary;
    const FusedProgram program(
        2, {unary(Unary::clip, 0), unary(Unary::leaky_relu, 1), binary(Binary::div, 2, 3),
            unary(Unary::gelu, 4), binary(Binary::max, 5, 0)});
    const AttrValue text = to_attr(program);
    CHECK((text == AttrValue(std::vector<std::string>{"inputs 2", "clip x0 0.5 2.0",
                                                      "leaky_relu x1 0.5 2.0", "div s0 s1",
                                                      "gelu s2", "max s3 x0"})));
    FusedProgram read;
    from_attr(text, read);
    CHECK((to_attr(read) == text));
    CHECK(read.slots() == 2);
  }

  TEST_CASE("texts that are no program are refused") {
    struct Refused {
      std::vector<std::string> lines;
      const char* why;
    };
    constexpr const char *kInputs = "begins with its number of inputs", *kStep = "is no step",
                         *kOrder = "step 0 reads a later one", *kOperand = "is no operand";
    for (const Refused& text : {Refused{{}, kInputs},
                                {{"inputs 2"}, "has no step"},
                                {{"tanh x0"}, kInputs},
                                {{"inputs 9", "tanh x0"}, kInputs},
                                {{"inputs 1", "tanh s0"}, kOrder},
                                {{"inputs 1", "tanh x1"}, kOrder},
                                {{"inputs 1", "tanh"}, kStep},
                                {{"inputs 1", "clip x0 1"}, kStep},
                                {{"inputs 1", "mul x0"}, kStep},
                                {{"inputs 1", "curl x0"}, kStep},
                                {{"inputs 1", "tanh y0"}, kOperand},
                                {{"inputs 1", "tanh x-1"}, kOperand},
                                {{"inputs 1", "clip x0 a b"}, "is no number"}}) {
      FusedProgram program;
      CHECK_THROWS_WITH_AS(from_attr(AttrValue(text.lines), program), doctest::Contains(text.why),
                           Error);
    }
  }
}
