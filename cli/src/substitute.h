#pragma once

#include <vector>

#include "strata/core/typed_model.h"
#include "strata/hir/inference_model.h"

namespace strata::cli {

/// Names of the symbols that sizes of the graph inputs mention, sorted.
std::vector<std::string> input_symbols(const hir::InferenceModel& model);
std::vector<std::string> input_symbols(const TypedModel& model);

/// Gives symbols their sizes, in bodies as well; to be done before analysis.
void substitute(hir::InferenceModel& model, const Dim::Bindings& sizes);

/// The model with its symbols replaced by sizes, every node wired anew so that facts follow.
/// Throws: invalid_model when the model does not allow the sizes; invalid_argument when one of an
/// input becomes negative.
TypedModel substitute(const TypedModel& model, const Dim::Bindings& sizes);

/// The model with inputs turned into constants: those of `values` that are not null.
TypedModel with_constants(const TypedModel& model, const std::vector<const Value*>& values);

}  // namespace strata::cli
