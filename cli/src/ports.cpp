#include "ports.h"

namespace strata::cli {

Ports inputs_of(const TypedModel& model) {
  Ports out{.what = "input", .names = input_names(model), .types = {}};
  for (std::size_t i = 0; i < model.inputs().size(); ++i)
    out.types.push_back(model.input_fact(i).type());
  return out;
}

Ports outputs_of(const TypedModel& model) {
  Ports out{.what = "output", .names = {}, .types = {}};
  for (std::size_t i = 0; i < model.outputs().size(); ++i) {
    out.names.push_back(model.outputs()[i].name);
    out.types.push_back(model.output_fact(i).type());
  }
  return out;
}

}  // namespace strata::cli
