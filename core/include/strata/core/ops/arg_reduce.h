#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

enum class Extreme : std::uint8_t { max, min };

constexpr auto enumerators(Extreme) {
  return std::to_array<std::pair<Extreme, std::string_view>>(
      {{Extreme::max, "max"}, {Extreme::min, "min"}});
}

/// Which of several equal elements is meant.
enum class Tie : std::uint8_t { first, last };

constexpr auto enumerators(Tie) {
  return std::to_array<std::pair<Tie, std::string_view>>(
      {{Tie::first, "first"}, {Tie::last, "last"}});
}

/// The index of the greatest or least element along an axis.
///
///   input    data   T[..]
///   output   i64[..]   the axis has size 1, or is dropped unless keep_dims
///   source   ONNX ArgMax-13, ArgMin-13
///
///   (C1) one input               (C2) a real numeric type
///   (C3) axis within the rank    (C4) at least one element along the axis
///
/// NaN counts as the extreme.
struct ArgReduce {
  static constexpr std::string_view name = "ArgReduce";
  Extreme op = Extreme::max;
  std::int64_t axis = 0;  ///< negative counts from the end
  bool keep_dims = true;
  Tie tie = Tie::first;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &ArgReduce::op), attr("axis", &ArgReduce::axis),
                      attr("keep_dims", &ArgReduce::keep_dims), attr("tie", &ArgReduce::tie)};
  }

  std::string display_name() const { return op == Extreme::max ? "ArgMax" : "ArgMin"; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ArgReduce>);

}  // namespace strata
