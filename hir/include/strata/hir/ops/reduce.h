#pragma once

#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/softmax.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// The ONNX Reduce ops; the axes are an attribute or input 1.
struct Reduce {
  static constexpr std::string_view name = "Reduce";
  strata::Reduce op;
  Shape axes;  ///< used when there is no input 1

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Reduce>);

/// ONNX ArgMax and ArgMin.
struct ArgReduce {
  static constexpr std::string_view name = "ArgReduce";
  strata::ArgReduce op;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ArgReduce>);

/// Which axes a Softmax takes together.
enum class SoftmaxExtent { axis, axis_and_after };

constexpr auto enumerators(SoftmaxExtent) {
  return std::to_array<std::pair<SoftmaxExtent, std::string_view>>(
      {{SoftmaxExtent::axis, "axis"}, {SoftmaxExtent::axis_and_after, "axis_and_after"}});
}

/// ONNX Softmax, LogSoftmax and Hardmax; before version 13 they took all axes from `axis` on
/// together.
struct Softmax {
  static constexpr std::string_view name = "Softmax";
  SoftmaxKind op = SoftmaxKind::softmax;
  std::int64_t axis = -1;
  SoftmaxExtent extent = SoftmaxExtent::axis;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &Softmax::op), attr("axis", &Softmax::axis),
                      attr("extent", &Softmax::extent)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Softmax>);

}  // namespace strata::hir
