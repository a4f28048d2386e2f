#pragma once

#include "block.h"
#include "strata/hir/inference_model.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The model of a file's main graph. Declared types of its inputs and outputs count as known, those
/// of bodies' outputs and the element types of other wires are checked. Throws: invalid_model,
/// unsupported, limit; the error names the node.
hir::InferenceModel build_model(const GraphProto& graph, ModelContext& context,
                                const Environment& environment);

/// The model of a subgraph with `depth` bodies around it, itself counted. Of its inputs the
/// declared element types are kept: shapes may change from one iteration to the next whatever is
/// declared. What is declared of its outputs is checked.
Subgraph build_subgraph(const GraphProto& graph, ModelContext& context,
                        const Environment& environment, const Captures& captures, int depth);

}  // namespace strata::onnx
