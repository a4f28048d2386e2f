#include "strata/core/ops/pad.h"

#include <algorithm>
#include <cmath>

#include "ops/all.h"
#include "ops/support.h"

namespace strata::opl {
namespace {

/// tract says `replicated` where NNEF says `replicate`; both are read.
Standard border_of(PadMode mode) {
  switch (mode) {
    case PadMode::constant:
      return string("constant");
    case PadMode::reflect:
      return string("reflect");
    case PadMode::edge:
      return string("replicated");
    case PadMode::wrap:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The padding value as NNEF has it, a float; none if a float cannot hold it.
std::optional<float> padding_value(const NodeView& node) {
  if (node.inputs().size() <= 2) return 0.0F;
  const Tensor* value = constant_input(node, 2);
  if (!value || value->size() != 1) return std::nullopt;
  const double number = number_at(*value, 0);
  constexpr double kMost = 1 << 24;  // of which a float holds each integer, and its text too
  if (is_integer(value->dtype()) && std::abs(number) > kMost) return std::nullopt;
  const auto nearest = static_cast<float>(number);
  return nearest == number ? std::optional(nearest) : std::nullopt;
}

Standard write_pad(const NodeView& node, GraphWriter& writer) {
  const auto rank = input_rank(node, 0);
  const auto pads = constant_integers(node, 1);
  auto border = border_of(node.op().as<Pad>()->mode);
  if (!rank || !pads || !border) return std::nullopt;
  std::optional<Shape> axes = sequence_of(0, *rank);
  if (node.inputs().size() > 3) axes = constant_integers(node, 3);
  if (!axes || pads->size() != 2 * axes->size()) return std::nullopt;
  std::vector<std::pair<std::int64_t, std::int64_t>> padding(*rank, {0, 0});
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::int64_t before = (*pads)[i], after = (*pads)[axes->size() + i];
    if (before < 0 || after < 0) return std::nullopt;
    padding[static_cast<std::size_t>(*normalized_axis((*axes)[i], rank))] = {before, after};
  }
  const DatumType type = node.input_fact(0).dtype;
  if (type == DatumType::string || is_complex(type)) return std::nullopt;
  const auto value = padding_value(node);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  std::vector<Argument> arguments = {
      positional(writer.input(node, 0)), named("padding", pairs(padding)),
      named("border", *std::move(border)), named("value", number(*value))};
  return call("pad", std::move(arguments));
}

PadMode mode_of(Invocation& call) {
  const std::string border = call.string("border", "constant");
  if (border == "constant") return PadMode::constant;
  if (border == "reflect") return PadMode::reflect;
  if (border == "replicate" || border == "replicated") return PadMode::edge;
  call.unsupported(cat("the border ", in_quotes(border)));
}

OutletIds read_pad(Invocation& call) {
  const OutletId data = call.wire("input");
  Shape pads;
  const auto padding = call.pairs("padding");
  for (const auto& [before, after] : padding) pads.push_back(before);
  for (const auto& [before, after] : padding) pads.push_back(after);
  const OutletId amounts = call.integers_constant("padding", pads);
  const DatumType type = call.fact(data).dtype;
  const OutletId value =
      call.given("value") ? call.wire("value", type) : call.number_constant("value", type, 0);
  return call.make(Pad{mode_of(call)}, {data, amounts, value});
}

}  // namespace

void register_pad(Writers& writers) { writers.add("Pad", write_pad); }

void register_pad(Readers& readers) {
  readers.add("pad", "input, padding, border, value", read_pad);
}

}  // namespace strata::opl
