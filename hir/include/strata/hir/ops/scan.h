#pragma once

#include <vector>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// The axis along which Scan cuts an input or joins an output, and whether it starts at the end.
struct ScanAxis {
  std::int64_t axis = 0;  ///< negative counts from the end
  bool reversed = false;
};

/// ONNX Scan since version 9: inputs the states, then those that are scanned, then the captured
/// values. The body takes the states, a slice of each scanned input without the scanned axis, and
/// the captured values; it gives the states, and a slice of each scan output.
struct Scan {
  static constexpr std::string_view name = "Scan";
  InferenceBody body;
  std::size_t states = 0;
  std::vector<ScanAxis> inputs;   ///< the scanned ones
  std::vector<ScanAxis> outputs;  ///< the stacked ones

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) { visit(op.body); }
};
static_assert(InferenceOpDef<Scan>);

/// ONNX Scan-8: a Scan for each element of a batch. Input 0, if there, tells how many steps each
/// takes; all others and the outputs have the batch as axis 0, which the body does not see,
/// and are scanned along axis 1. What lies past the end of a shorter sequence is 0.
struct BatchedScan {
  static constexpr std::string_view name = "BatchedScan";
  Scan scan;  ///< of one element; its axes are 0
  std::size_t captures = 0;

  OutletIds wire(Builder& b, const OutletIds& in) const;
  static void each_body(auto& op, const auto& visit) { visit(op.scan.body); }
};
static_assert(InferenceOpDef<BatchedScan>);

}  // namespace strata::hir
