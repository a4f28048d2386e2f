#pragma once

#include <functional>
#include <optional>

#include "strata/core/ops/cast.h"
#include "support/loop_model.h"

/// A loop, and another one that scans what it stacks.
namespace strata::tests {

/// The first loop: h = h + row of x, stacked. Rows are f32[1,2].
struct First {
  LoopInput scan{LoopInput::Kind::scanned, 0, 1, false};
  LoopOutput stack{LoopOutput::Kind::stacked, 1, 0, false};
  bool has_trip_count = false;
};

inline Loop first_loop(const std::shared_ptr<SymbolScope>& symbols, const First& how) {
  TypedModel body(symbols);
  const OutletId h = body.add_source("h", float_fact(Shape{1, 2})),
                 row = body.add_source("row", float_fact(Shape{1, 2}));
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {h, row});
  body.add_output("h_on", next);
  body.add_output("part", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, how.scan};
  loop.outputs = {{LoopOutput::Kind::last, 0}, how.stack};
  loop.has_trip_count = how.has_trip_count;
  return loop;
}

/// The second loop: g = 2 g + part, for parts of this shape; numbered, it adds the number as well.
struct Second {
  LoopInput scan{LoopInput::Kind::scanned, 0, 1, false};
  ShapeFact part = Shape{1, 2};
  bool has_trip_count = false;
  bool numbered = false;
};

inline Loop second_loop(const std::shared_ptr<SymbolScope>& symbols, const Second& how) {
  TypedModel body(symbols);
  OutletId number;
  if (how.numbered) number = body.add_source("n", Fact::tensor(DatumType::i64, Shape{}));
  const OutletId g = body.add_source("g", float_fact(how.part)),
                 part = body.add_source("part", float_fact(how.part)),
                 two = body.add_source("two", float_fact(Shape{1}));
  const OutletId twice = body.wire_one("twice", Binary{BinaryOp::mul}, {g, two});
  OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {twice, part});
  if (how.numbered)
    next = body.wire_one("counted", Binary{BinaryOp::add},
                         {next, body.wire_one("float", Cast{DatumType::f32}, {number})});
  body.add_output("g_on", next);
  body.add_output("out", next);
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {{LoopInput::Kind::carried}, how.scan, {LoopInput::Kind::invariant}};
  loop.outputs = {{LoopOutput::Kind::last, 0}, {LoopOutput::Kind::stacked, 1, 0, false}};
  loop.has_trip_count = how.has_trip_count;
  loop.numbered = how.numbered;
  return loop;
}

/// g = g b + a, for rows a and b of f32[1,2].
inline Loop product_loop(const std::shared_ptr<SymbolScope>& symbols) {
  TypedModel body(symbols);
  const Fact row = float_fact(Shape{1, 2});
  const OutletId g = body.add_source("g", row), a = body.add_source("a", row),
                 b = body.add_source("b", row);
  const OutletId scaled = body.wire_one("scaled", Binary{BinaryOp::mul}, {g, b});
  body.add_output("g_on", body.wire_one("next", Binary{BinaryOp::add}, {scaled, a}));
  Loop loop;
  loop.body = std::make_shared<TypedModel>(std::move(body));
  loop.inputs = {
      {LoopInput::Kind::carried}, {LoopInput::Kind::scanned}, {LoopInput::Kind::scanned}};
  loop.outputs = {{LoopOutput::Kind::last, 0}};
  return loop;
}

/// Both loops over x; `between` may put something between them, given the outer inputs of the
/// second: g, the stack and the factor.
struct TwoLoops {
  First first;
  Second second;
  ShapeFact x = std::vector<Dim>{Dim::symbol("T"), 2};
  std::optional<Tensor> first_trips, second_trips;
  std::function<void(TypedModel&, const OutletIds& first, OutletIds& inputs)> between =
      [](TypedModel&, const OutletIds&, OutletIds&) {};

  TypedModel model() const {
    TypedModel model;
    const OutletId x_in = model.add_source("x", float_fact(x)),
                   g = model.add_source("g0", float_fact(second.part)),
                   two = model.add_source("factor", float_fact(Shape{1}));
    OutletIds inputs;
    if (first_trips) inputs.push_back(model.constant("m1", *first_trips));
    inputs.push_back(model.constant("h0", Tensor::of<float>({1, 2}, {0, 0})));
    inputs.push_back(x_in);
    const OutletIds one = model.wire("first", first_loop(model.symbol_scope(), first), inputs);
    OutletIds others{g, one[1], two};
    between(model, one, others);
    if (second_trips) others.insert(others.begin(), model.constant("m2", *second_trips));
    const OutletIds out = model.wire("second", second_loop(model.symbol_scope(), second), others);
    model.add_output("last", out[0]);
    model.add_output("all", out[1]);
    return model;
  }
};

}  // namespace strata::tests
