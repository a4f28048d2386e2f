#pragma once

#include "block.h"
#include "strata/hir/inference_model.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The model of a file's main graph. The declared types of its inputs and outputs become facts;
/// those of bodies' outputs, and the element types of other wires, are only checked. Throws:
/// invalid_model, unsupported, limit; the error names the node.
hir::InferenceModel build_model(const GraphProto& graph, ModelContext& context,
                                const Environment& environment);

/// The model of a subgraph at nesting depth `depth`, where 1 is a body of the main graph. Only the
/// declared element types of its inputs become facts, since shapes may change from one iteration to
/// the next whatever is declared. Declarations of its outputs are checked.
Subgraph build_subgraph(const GraphProto& graph, ModelContext& context,
                        const Environment& environment, const Captures& captures, int depth);

}  // namespace strata::onnx
