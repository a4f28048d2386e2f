#pragma once

#include <optional>

#include "strata/core/ops/unary.h"
#include "support/loop_model.h"

namespace strata::tests {

/// A loop that counts its iterations (output 0) while `counter op bound` holds.
struct Counting {
  enum class First { always, compared, given };

  BinaryOp op = BinaryOp::less;
  std::int64_t step = 1;
  std::optional<std::int64_t> start = 0;  ///< absent: an input
  std::optional<std::int64_t> bound;      ///< absent: an input
  First first = First::compared;
  DatumType type = DatumType::i64;
  bool is_turned = false;        ///< the bound stands first
  bool compares_before = false;  ///< the counter as it was before the step
  bool joins_condition = false;  ///< and the condition itself
  std::optional<std::int64_t> most;
  std::optional<BinaryOp> first_op;         ///< of the comparison it begins by, where another
  std::optional<std::int64_t> first_start;  ///< what that compares, where another
  std::optional<std::int64_t> first_shift;  ///< how far from the bound that compares it

  Tensor number(std::int64_t value) const {
    if (type == DatumType::i64) return Tensor::scalar(value);
    return Tensor::scalar(static_cast<std::int32_t>(value));
  }
  OutletId compared(TypedModel& model, OutletId counter, OutletId limit) const {
    BinaryOp turned = op;
    if (op == BinaryOp::less) turned = BinaryOp::greater;
    if (op == BinaryOp::less_or_equal) turned = BinaryOp::greater_or_equal;
    if (op == BinaryOp::greater) turned = BinaryOp::less;
    if (op == BinaryOp::greater_or_equal) turned = BinaryOp::less_or_equal;
    return is_turned ? model.wire_one("compared", Binary{turned}, {limit, counter})
                     : model.wire_one("compared", Binary{op}, {counter, limit});
  }

  OutletId first_comparison(TypedModel& model, OutletId i, OutletId limit) const {
    Counting comparison = *this;
    comparison.op = first_op.value_or(op);
    if (first_start) i = model.constant("first_start", number(*first_start));
    if (first_shift)
      limit = model.wire_one("shifted", Binary{BinaryOp::add},
                             {limit, model.constant("first_shift", number(*first_shift))});
    return comparison.compared(model, i, limit);
  }

  Loop loop(const std::shared_ptr<SymbolScope>& symbols) const {
    TypedModel body(symbols);
    const Fact integers = Fact::tensor(type, Shape{}),
               truth = Fact::tensor(DatumType::boolean, Shape{});
    const OutletId go_on = body.add_source("go_on", truth), i = body.add_source("i", integers),
                   limit = body.add_source("limit", integers),
                   count = body.add_source("count", float_fact(Shape{1}));
    const OutletId next =
        body.wire_one("next", Binary{BinaryOp::add}, {i, body.constant("step", number(step))});
    OutletId condition = compared(body, compares_before ? i : next, limit);
    if (joins_condition)
      condition = body.wire_one("both", Binary{BinaryOp::truth_and}, {go_on, condition});
    body.add_output("go_on_on", condition);
    body.add_output("i_on", next);
    body.add_output("count_on", body.wire_one("more", Binary{BinaryOp::add},
                                              {count, body.constant("one", floats({1}))}));
    body.add_output("part", body.wire_one("part", Unary{UnaryOp::neg}, {count}));
    Loop loop;
    loop.body = std::make_shared<TypedModel>(std::move(body));
    loop.inputs = {{LoopInput::Kind::carried},
                   {LoopInput::Kind::carried},
                   {LoopInput::Kind::invariant},
                   {LoopInput::Kind::carried}};
    loop.outputs = {{LoopOutput::Kind::last, 2},
                    {LoopOutput::Kind::last, 1},
                    {LoopOutput::Kind::last, 0},
                    {LoopOutput::Kind::stacked, 3, 0, false}};
    loop.condition = 0;
    loop.has_trip_count = most.has_value();
    return loop;
  }

  /// Inputs: whether it begins, start, bound, as far as they are not given.
  TypedModel model() const {
    TypedModel model;
    const Fact integers = Fact::tensor(type, Shape{});
    const OutletId given = model.add_source("given", Fact::tensor(DatumType::boolean, Shape{})),
                   from = model.add_source("start", integers),
                   to = model.add_source("bound", integers);
    const OutletId i = start ? model.constant("i0", number(*start)) : from,
                   limit = bound ? model.constant("limit", number(*bound)) : to;
    OutletId begins = given;
    if (first == First::always) begins = model.constant("true", Tensor::scalar(true));
    if (first == First::compared) begins = first_comparison(model, i, limit);
    OutletIds inputs{begins, i, limit, model.constant("none", floats({0}))};
    if (most) inputs.insert(inputs.begin(), model.constant("most", integer(*most)));
    const OutletIds out = model.wire("loop", loop(model.symbol_scope()), inputs);
    for (std::size_t k = 0; k < out.size(); ++k) model.add_output(cat("out", k), out[k]);
    return model;
  }

  ValueList inputs(std::int64_t from, std::int64_t to, bool begins = true) const {
    return {Tensor::scalar(begins), number(start.value_or(from)), number(bound.value_or(to))};
  }
};

}  // namespace strata::tests
