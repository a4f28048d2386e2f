#pragma once

#include "functions.h"
#include "strata/core/limits.h"

namespace strata::onnx {

/// Throws: limit when the model, its functions included, has more nodes or deeper bodies than
/// `limits` allows.
void check_size(const ModelProto& model, const Limits& limits);

/// Throws: limit when `graph` has more nodes than `limits` allows once the functions it calls are
/// inlined, or they call one another deeper.
void check_inlined_size(const GraphProto& graph, const Functions& functions, const Limits& limits);

/// The opsets that `model` imports. Throws: invalid_model when there are none or two of a domain
/// differ; unsupported when one is newer than this build.
OpsetVersions imported_opsets(const ModelProto& model);

}  // namespace strata::onnx
