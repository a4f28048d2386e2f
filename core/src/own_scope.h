#pragma once

#include <memory>

#include "strata/core/typed_model.h"

namespace strata {

/// A copy of the model's symbol scope, for a model made from it, so that the two can be changed at
/// the same time.
inline std::shared_ptr<SymbolScope> own_scope(const TypedModel& model) {
  return std::make_shared<SymbolScope>(*model.symbol_scope());
}

}  // namespace strata
