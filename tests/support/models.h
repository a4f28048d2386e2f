#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/loop.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

/// Small models that tests share, and what tests ask of a model.
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

/// Live nodes of this op, those of bodies left out.
template <class Op>
std::size_t count_of(const TypedModel& model) {
  std::size_t count = 0;
  for (const TypedNode& node : model.nodes()) count += !node.erased && node.op.as<Op>();
  return count;
}

/// Live nodes of an op of this name, those of bodies left out.
inline std::size_t count_of_op(const TypedModel& model, std::string_view name) {
  std::size_t count = 0;
  for (const TypedNode& node : model.nodes()) count += !node.erased && node.op.name() == name;
  return count;
}

/// Live nodes that are neither sources nor constants, those of bodies left out.
inline std::size_t computed_nodes(const TypedModel& model) {
  return model.live_nodes() - count_of<Source>(model) - count_of<Const>(model);
}

/// How often `rule` fired.
inline std::size_t firings_of(const RewriteReport& report, const std::string& rule) {
  const auto at = report.firings.find(rule);
  return at == report.firings.end() ? 0 : at->second;
}

inline constexpr LoopInput kScanned{LoopInput::Kind::scanned, 0, 1, false};
inline constexpr LoopInput kScannedBackward{LoopInput::Kind::scanned, 0, 1, true};
inline const LoopOutput kStacked{LoopOutput::Kind::stacked, 1, 0, false};
inline const LoopOutput kStackedBackward{LoopOutput::Kind::stacked, 1, 0, true};

}  // namespace strata::tests
