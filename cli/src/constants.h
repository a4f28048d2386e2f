#pragma once

#include <string>
#include <vector>

#include "strata/core/typed_model.h"
#include "strata/hir/inference_model.h"

namespace strata::cli {

/// Inputs that are to become constants, NAME=VALUE each: a number, or an `.npy` or `.pb` file.
using ConstantSources = std::vector<std::string>;

/// Tells a model the values of these inputs; to be done before analysis. Throws: invalid_argument
/// when there is no such input or the value does not fit it; file.
void fix_inputs(hir::InferenceModel& model, const ConstantSources& sources);

/// The typed model, in which the inputs that `fix_inputs` was given are constants. Throws:
/// invalid_model, unsupported.
TypedModel to_typed(const hir::InferenceModel& model, const ConstantSources& sources);

/// The model with these inputs turned into constants. Throws: as fix_inputs.
TypedModel with_constants(const TypedModel& model, const ConstantSources& sources);

}  // namespace strata::cli
