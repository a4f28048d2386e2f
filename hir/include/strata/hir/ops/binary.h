#pragma once

#include "strata/core/ops/binary.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// A function of two tensors. Before ONNX version 7 `axis` said where the second one's axes lie
/// among the first one's.
struct Binary {
  static constexpr std::string_view name = "Binary";
  BinaryOp op = BinaryOp::add;
  std::optional<std::int64_t> axis;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Binary::op), attr("axis", &Binary::axis)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Binary>);

/// ONNX Pow: the exponent may be of another type; the result has the base's.
struct Pow {
  static constexpr std::string_view name = "Pow";
  std::optional<std::int64_t> axis;  ///< as in Binary

  static constexpr auto attributes() { return std::tuple{attr("axis", &Pow::axis)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Pow>);

/// How the slopes of a PRelu lie over x.
enum class SlopeLayout { broadcast, per_channel };

constexpr auto enumerators(SlopeLayout) {
  return std::to_array<std::pair<SlopeLayout, std::string_view>>(
      {{SlopeLayout::broadcast, "broadcast"}, {SlopeLayout::per_channel, "per_channel"}});
}

/// ONNX PRelu: x < 0 ? slope * x : x. Before version 7 a vector of slopes held one per channel.
struct PRelu {
  static constexpr std::string_view name = "PRelu";
  SlopeLayout layout = SlopeLayout::broadcast;

  static constexpr auto attributes() { return std::tuple{attr("layout", &PRelu::layout)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<PRelu>);

/// What the operands of a Variadic are divided by in the end.
enum class Divisor { one, count };

constexpr auto enumerators(Divisor) {
  return std::to_array<std::pair<Divisor, std::string_view>>(
      {{Divisor::one, "one"}, {Divisor::count, "count"}});
}

/// ONNX Sum, Mean, Min, Max: one or more tensors joined by a function of two.
struct Variadic {
  static constexpr std::string_view name = "Variadic";
  BinaryOp op = BinaryOp::add;
  Divisor divisor = Divisor::one;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Variadic::op), attr("divisor", &Variadic::divisor)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Variadic>);

}  // namespace strata::hir
