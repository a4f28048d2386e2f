#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::cli {

/// The names and types on one side of a model.
struct Ports {
  std::string_view what;  ///< `input` or `output`
  std::vector<std::string> names;
  std::vector<ValueType> types;
};

Ports inputs_of(const TypedModel& model);
Ports outputs_of(const TypedModel& model);

/// The names of a model's inputs, whatever stage it is at.
template <class Model>
std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) out.push_back(model.input_name(i));
  return out;
}

}  // namespace strata::cli
