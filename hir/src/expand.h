#pragma once

#include <string>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// A node as errors name it: `Concat "encoder/concat_3" (node 41, ONNX Concat, opset 13)`.
std::string place_of(const InferenceModel& model, std::uint32_t id);

/// Expands one node into `target`. Throws: as the op's wire does.
OutletIds wire_node(const InferenceNode& node, Wiring& target, const OutletIds& inputs);

}  // namespace strata::hir
