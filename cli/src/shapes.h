#pragma once

#include <map>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"
#include "strata/hir/inference_model.h"

namespace strata::cli {

/// Sizes of inputs, by name.
using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

/// Gives inputs of the model these sizes where it says none. Returns those of the symbols that it
/// names instead. Throws: invalid_argument when there is no such input, or it has another shape.
Dim::Bindings set_shapes(hir::InferenceModel& model, const InputShapes& shapes);

/// The sizes of the symbols, for inputs of these shapes. Throws: as above.
Dim::Bindings sizes_for(const TypedModel& model, const InputShapes& shapes);

}  // namespace strata::cli
