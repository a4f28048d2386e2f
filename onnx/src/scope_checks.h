#pragma once

#include "node_order.h"

namespace onnx {
class ModelProto;
}

namespace strata::onnx {

/// Throws: invalid_model when a node of a subgraph gives a value the name of one that is visible
/// outside, or a subgraph reads a value that a later node of an outer graph makes. Both are errors in
/// the standard; inputs and initializers of a subgraph may hide outer names.
void check_scopes(const ::onnx::ModelProto& model, CapturedNames& captured);

}  // namespace strata::onnx
