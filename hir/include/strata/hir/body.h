#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "strata/hir/inference_model.h"

namespace strata::hir {

/// `body` in core ops, for inputs of these facts. An input whose fact has a constant value becomes
/// that constant and is no longer an input. Fresh symbols come from `symbols`, the scope of the
/// outer model. Throws: invalid_model when a fact contradicts what the body declares.
TypedModel expand_body(const InferenceModel& body, const std::vector<Fact>& inputs,
                       std::shared_ptr<SymbolScope> symbols);

/// A loop body, and what is true of its carried inputs in every iteration.
struct LoopBody {
  TypedModel model;
  std::vector<Fact> inputs;
  /// The carried values that are optionals before an iteration, but after it only the value an
  /// optional holds: the model wraps these in optionals.
  std::vector<std::size_t> wrapped;
};

/// Expands the body of a loop whose body output `k + first_output` feeds its input `carried[k]`.
/// `inputs` are as before the first iteration: sizes that change from one iteration to the next
/// become fresh symbols, ranks that change open shapes. Throws: invalid_model when a carried
/// value changes its type other than from an optional to what it holds.
LoopBody expand_loop_body(const InferenceModel& body, std::vector<Fact> inputs,
                          const std::vector<std::size_t>& carried, std::size_t first_output,
                          const std::shared_ptr<SymbolScope>& symbols);

}  // namespace strata::hir
