#pragma once

#include <initializer_list>
#include <memory>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/loop.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

/// Small models that tests of control flow share.
namespace strata::tests {

inline Tensor floats(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}
inline Tensor integer(std::int64_t value) { return Tensor::scalar(value); }
inline Fact float_fact(ShapeFact shape) { return Fact::tensor(DatumType::f32, std::move(shape)); }

/// sum' = sum + x (both f32[1]); also gives sum' to be stacked.
inline Body running_sum_body(const std::shared_ptr<SymbolScope>& symbols) {
  TypedModel body(symbols);
  const OutletId sum = body.add_source("sum", float_fact(Shape{1})),
                 x = body.add_source("x", float_fact(Shape{1}));
  const OutletId next = body.wire_one("next", Binary{BinaryOp::add}, {sum, x});
  body.add_output("next", next);
  body.add_output("step", next);
  return std::make_shared<TypedModel>(std::move(body));
}

/// The sums of the beginnings of `xs`, starting from f32[1] `start`: outputs the last and all of
/// them.
inline TypedModel running_sum_model(ShapeFact xs, LoopInput scanned, LoopOutput stacked) {
  TypedModel model;
  const OutletId start = model.add_source("start", float_fact(Shape{1}));
  const OutletId x = model.add_source("xs", float_fact(std::move(xs)));
  Loop loop;
  loop.body = running_sum_body(model.symbol_scope());
  loop.inputs = {{LoopInput::Kind::carried}, scanned};
  loop.outputs = {{LoopOutput::Kind::last, 0}, stacked};
  const OutletIds out = model.wire("loop", loop, {start, x});
  model.add_output("total", out[0]);
  model.add_output("sums", out[1]);
  return model;
}

inline constexpr LoopInput kScanned{LoopInput::Kind::scanned, 0, 1, false};
inline constexpr LoopInput kScannedBackward{LoopInput::Kind::scanned, 0, 1, true};
inline const LoopOutput kStacked{LoopOutput::Kind::stacked, 1, 0, false};
inline const LoopOutput kStackedBackward{LoopOutput::Kind::stacked, 1, 0, true};

}  // namespace strata::tests
