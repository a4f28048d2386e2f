#pragma once

#include <span>
#include <string_view>

#include "strata/core/typed_model.h"
#include "strata/core/value.h"

/// Inputs and outputs of a model by name; a session takes and returns them in order.
namespace strata {

struct NamedValue {
  std::string_view name;
  Value value;
};

/// The values of the inputs of `model`, in order. Throws: invalid_argument for a name that no
/// input has or that comes twice, and for an input without a value.
ValueList inputs_by_name(const TypedModel& model, std::span<const NamedValue> values);

/// Which output of `model` has this name. Throws: invalid_argument when none has.
std::size_t output_by_name(const TypedModel& model, std::string_view name);

}  // namespace strata
