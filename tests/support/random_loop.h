#pragma once

#include <random>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unary.h"
#include "strata/core/ops/unsqueeze.h"
#include "support/loop_model.h"

/// Random models that are one loop, for tests that no stage changes what they compute.
namespace strata::tests {

inline constexpr std::int64_t kRows = 4;
inline const Fact kVector = float_fact(Shape{2}),
                  kIntegers = Fact::tensor(DatumType::i64, Shape{2}),
                  kNumber = Fact::tensor(DatumType::i64, Shape{}),
                  kFlag = Fact::tensor(DatumType::boolean, Shape{});

inline Fact rows_of(DatumType type, const Dim& rows) {
  return Fact::tensor(type, std::vector<Dim>{rows, 2});
}

/// Random nodes over vectors of two, of floats and of integers, in a body.
class RandomBody {
 public:
  RandomBody(std::mt19937& random, TypedModel& body) : random_(random), body_(body) {}

  OutletIds floats, integers, flags;
  OutletId matrix;

  bool coin() { return random_() % 2 == 0; }
  OutletId pick(const OutletIds& wires) { return wires[random_() % wires.size()]; }
  OutletId constant(std::int64_t value) { return body_.constant("k", Tensor::scalar(value)); }
  OutletId vector_of(std::int64_t value) {
    return body_.constant("k", Tensor::of<std::int64_t>({1}, {value}));
  }
  OutletId node(const TypedOp& op, const OutletIds& inputs) {
    return body_.wire_one("node", op, inputs);
  }

  void add_nodes(int count) {
    for (int i = 0; i < count; ++i) random_() % 3 == 0 ? add_integers() : add_floats();
  }

  /// An If whose bodies share some code, on a flag that another may be on as well.
  void add_if() {
    const OutletIds captured{pick(floats), pick(floats), pick(integers), pick(flags)};
    const unsigned shared = random_();
    const auto branch = [&](unsigned own) {
      TypedModel model(body_.symbol_scope());
      std::mt19937 common(shared), random(own);
      RandomBody nodes(common, model);
      for (std::size_t i = 0; i < captured.size(); ++i) {
        const OutletId source =
            model.add_source(cat("in", i), body_.fact(captured[i]).without_value());
        (i < 2 ? nodes.floats : i == 2 ? nodes.integers : nodes.flags).push_back(source);
      }
      nodes.add_nodes(2);
      RandomBody different(random, model);
      different.floats = nodes.floats;
      different.integers = nodes.integers;
      different.flags = nodes.flags;
      different.add_nodes(2);
      if (own % 3 == 0 && own % 4 != 0) different.add_select();
      model.add_output("f", different.floats.back());
      model.add_output("i", different.pick(different.integers));
      return std::make_shared<TypedModel>(std::move(model));
    };
    OutletIds inputs{coin() ? captured[3] : pick(flags)};
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    const Body then_body = branch(random_()), else_body = branch(random_());
    const OutletIds out = body_.wire("if", If{then_body, else_body}, inputs);
    floats.push_back(out[0]);
    integers.push_back(out[1]);
  }

 private:
  void add_floats() {
    switch (random_() % (matrix.is_absent() ? 3 : 4)) {
      case 0:
        return floats.push_back(node(Unary{UnaryOp::tanh}, {pick(floats)}));
      case 1:
        return floats.push_back(node(Binary{BinaryOp::mul}, {pick(floats), pick(floats)}));
      case 2:
        return floats.push_back(node(Binary{BinaryOp::sub}, {pick(floats), pick(floats)}));
      default:
        return floats.push_back(node(MatMul{}, {pick(floats), matrix}));
    }
  }
  void add_integers() {
    constexpr BinaryOp kOps[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::max};
    integers.push_back(node(Binary{kOps[random_() % 4]}, {pick(integers), pick(integers)}));
  }
  /// An If within, on a flag of this body.
  void add_select() {
    const auto branch = [&](UnaryOp op) {
      TypedModel model(body_.symbol_scope());
      const OutletId x = model.add_source("x", kVector);
      model.add_output("y", model.wire_one("y", Unary{op}, {x}));
      return std::make_shared<TypedModel>(std::move(model));
    };
    OutletId flag = pick(flags);
    if (coin()) flag = node(Unary{UnaryOp::truth_not}, {flag});
    floats.push_back(
        body_.wire_one("if", If{branch(UnaryOp::neg), branch(UnaryOp::sin)}, {flag, pick(floats)}));
  }

  std::mt19937& random_;
  TypedModel& body_;
};

/// A loop with a random body: carried floats, integers and a tensor that grows by a row;
/// invariants; tables read by the number of the iteration, forward and backward; rows that are
/// scanned; stacks; and for some a condition that may end it early.
class RandomLoop {
 public:
  explicit RandomLoop(unsigned seed) : random_(seed), nodes_(random_, body_) {}

  TypedModel model(const Dim& rows, bool has_condition) {
    has_condition_ = has_condition;
    using Kind = LoopInput::Kind;
    number_ = body_.add_source("number", kNumber);
    const OutletId a = entry({Kind::carried}, kVector), b = entry({Kind::carried}, kVector),
                   count = entry({Kind::carried}, kIntegers);
    if (has_condition) nodes_.flags.push_back(entry({Kind::carried}, kFlag));
    grown_ = entry({Kind::carried}, rows_of(DatumType::f32, body_.symbols().fresh()),
                   rows_of(DatumType::f32, 1));
    nodes_.floats = {a, b, entry({Kind::invariant}, kVector)};
    nodes_.integers = {count, entry({Kind::invariant}, kIntegers)};
    nodes_.flags.push_back(entry({Kind::invariant}, kFlag));
    nodes_.matrix = entry({Kind::invariant}, float_fact(Shape{2, 2}));
    table_ = entry({Kind::invariant}, rows_of(DatumType::f32, kRows));
    const OutletId row = entry({Kind::scanned, 0, 1, nodes_.coin()}, rows_of(DatumType::f32, 1),
                               rows_of(DatumType::f32, rows)),
                   item = entry({Kind::scanned, 0, 1, nodes_.coin()}, rows_of(DatumType::i64, 1),
                                rows_of(DatumType::i64, rows));
    axis_ = nodes_.vector_of(0);
    nodes_.floats.push_back(nodes_.node(Squeeze{}, {row, axis_}));
    nodes_.integers.push_back(nodes_.node(Squeeze{}, {item, axis_}));
    add_reads();
    nodes_.add_nodes(6);
    nodes_.add_if();
    nodes_.add_nodes(6);
    return finish();
  }

  ValueList inputs() {
    ValueList out;
    for (const Fact& fact : operands_) out.push_back(value(fact));
    return out;
  }

 private:
  OutletId entry(const LoopInput& input, const Fact& inside) {
    return entry(input, inside, inside);
  }
  OutletId entry(const LoopInput& input, const Fact& inside, const Fact& outside) {
    loop_.inputs.push_back(input);
    operands_.push_back(outside);
    return body_.add_source(cat("entry", operands_.size()), inside);
  }

  /// Rows of the table by the number of the iteration, and a flag made of it.
  void add_reads() {
    const OutletId back = nodes_.node(Binary{BinaryOp::sub}, {nodes_.constant(kRows - 1), number_});
    nodes_.floats.push_back(nodes_.node(Gather{0}, {table_, nodes_.coin() ? number_ : back}));
    const OutletId start = nodes_.node(Unsqueeze{}, {number_, axis_});
    const OutletId end = nodes_.node(Binary{BinaryOp::add}, {start, nodes_.vector_of(1)});
    const OutletId cut = nodes_.node(Slice{}, {table_, start, end, axis_});
    nodes_.floats.push_back(nodes_.node(Squeeze{}, {cut, axis_}));
    nodes_.flags.push_back(nodes_.node(Binary{BinaryOp::less}, {number_, nodes_.constant(2)}));
  }

  void carry_on(OutletId wire) { body_.add_output(cat("on", body_.outputs().size()), wire); }

  TypedModel finish() {
    for (int i = 0; i < 2; ++i)
      carry_on(nodes_.node(Unary{UnaryOp::tanh}, {nodes_.pick(nodes_.floats)}));
    carry_on(nodes_.pick(nodes_.integers));
    if (has_condition_) carry_on(nodes_.pick(nodes_.flags));
    const OutletId added = nodes_.node(Unsqueeze{}, {nodes_.pick(nodes_.floats), axis_});
    carry_on(nodes_.node(Concat{0}, {grown_, added}));
    const auto carried = static_cast<std::int64_t>(body_.outputs().size());
    for (const OutletIds& wires : {nodes_.floats, nodes_.floats, nodes_.integers})
      carry_on(nodes_.node(Unsqueeze{}, {nodes_.pick(wires), axis_}));
    for (std::int64_t k = 0; k < carried; ++k) loop_.outputs.push_back({LoopOutput::Kind::last, k});
    for (std::int64_t k = carried; k < carried + 3; ++k)
      loop_.outputs.push_back({LoopOutput::Kind::stacked, k, 0, nodes_.coin()});
    if (has_condition_) loop_.condition = 3;
    loop_.numbered = true;
    loop_.body = std::make_shared<TypedModel>(std::move(body_));
    std::vector<std::size_t> read;
    for (std::size_t i = 0; i < loop_.outputs.size(); ++i)
      if (random_() % 5 != 0 || i == 0) read.push_back(i);
    return model_of(loop_, operands_, read);
  }

  Value value(const Fact& fact) {
    Shape shape;
    for (const Dim& dim : fact.shape.dims()) shape.push_back(dim.constant().value_or(kRows));
    if (fact.dtype == DatumType::boolean) return Tensor::scalar(random_() % 3 != 0);
    MutableTensor out(fact.dtype, shape);
    std::uniform_real_distribution<float> uniform(-1, 1);
    if (fact.dtype == DatumType::i64)
      for (std::int64_t& each : out.as<std::int64_t>())
        each = static_cast<std::int64_t>(random_() % 7) - 3;
    else
      for (float& each : out.as<float>()) each = uniform(random_);
    return std::move(out).freeze();
  }

  std::mt19937 random_;
  TypedModel body_;
  RandomBody nodes_;
  Loop loop_;
  std::vector<Fact> operands_;
  OutletId number_, grown_, table_, axis_;
  bool has_condition_ = false;
};

/// Checks what a random loop gives: floats to a tolerance, all else to the bit.
inline void check_agree(const ValueList& actual, const ValueList& expected) {
  check_all_close(actual, expected, 1e-4, 1e-5);
}

}  // namespace strata::tests
