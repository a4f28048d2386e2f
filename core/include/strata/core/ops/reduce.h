#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// A function of many numbers. log_sum_exp is log(sum(exp(x))), worked out without overflow.
enum class Reduction : std::uint8_t {
  l1,
  l2,
  log_sum,
  log_sum_exp,
  max,
  mean,
  min,
  prod,
  sum,
  sum_square
};

constexpr auto enumerators(Reduction) {
  using enum Reduction;
  return std::to_array<std::pair<Reduction, std::string_view>>({
      {l1, "l1"},
      {l2, "l2"},
      {log_sum, "log_sum"},
      {log_sum_exp, "log_sum_exp"},
      {max, "max"},
      {mean, "mean"},
      {min, "min"},
      {prod, "prod"},
      {sum, "sum"},
      {sum_square, "sum_square"},
  });
}

/// What a reduction does when no axis is given.
enum class NoAxes : std::uint8_t { means_all, means_none };

constexpr auto enumerators(NoAxes) {
  return std::to_array<std::pair<NoAxes, std::string_view>>(
      {{NoAxes::means_all, "means_all"}, {NoAxes::means_none, "means_none"}});
}

/// Reduces axes to one number each.
///
///   inputs   data   T[..]
///            axes   i64[k], optional; negative ones count from the end
///   output   T[..]  the reduced axes have size 1, or are dropped unless keep_dims
///   source   ONNX ReduceSum-13 and the other Reduce ops -18
///
///   (C1) one or two inputs                   (C2) a numeric type, or bool for max and min
///   (C3) axes: integers, a vector            (C4) each within the rank, none twice
///
/// Of no elements, sum, l1, l2 and sum_square are 0, prod is 1, max and min are the least and the
/// greatest number of the type (infinite where it can be), log_sum and log_sum_exp -inf, mean NaN
/// (0 for integers). Floats are computed in double; integers wrap in sum, prod, l1 and sum_square,
/// and are truncated toward 0 in the others.
struct Reduce {
  static constexpr std::string_view name = "Reduce";
  static constexpr bool evaluates_dims = true;
  Reduction op = Reduction::sum;
  bool keep_dims = true;
  NoAxes no_axes = NoAxes::means_all;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Reduce::op), attr("keep_dims", &Reduce::keep_dims),
                      attr("no_axes", &Reduce::no_axes)};
  }

  std::string display_name() const;
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Reduce>);

}  // namespace strata
