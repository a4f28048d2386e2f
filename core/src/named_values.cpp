#include "strata/core/named_values.h"

#include <algorithm>
#include <optional>

namespace strata {
namespace {

/// "x", "y"
std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + cat(in_quotes(name));
  return out.empty() ? "none" : out;
}

std::vector<std::string> input_names(const TypedModel& model) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) out.push_back(model.input_name(i));
  return out;
}

std::vector<std::string> output_names(const TypedModel& model) {
  std::vector<std::string> out;
  for (const GraphOutput& output : model.outputs()) out.push_back(output.name);
  return out;
}

/// The place of a name, which is of an `end` of the model.
std::size_t place_of(std::string_view name, const std::vector<std::string>& names,
                     std::string_view end) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string nearest = nearest_name(name, names);
    fail(ErrorKind::invalid_argument, "no ", end, " is named ", in_quotes(name),
         nearest.empty() ? "" : cat(", nearest is ", in_quotes(nearest)),
         "; there are: ", quoted(names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

ValueList inputs_by_name(const TypedModel& model, std::span<const NamedValue> values) {
  const std::vector<std::string> names = input_names(model);
  std::vector<std::optional<Value>> given(names.size());
  for (const NamedValue& each : values) {
    std::optional<Value>& place = given[place_of(each.name, names, "input")];
    require(!place, ErrorKind::invalid_argument, "two values for input ", in_quotes(each.name));
    place = each.value;
  }
  ValueList out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    require(given[i].has_value(), ErrorKind::invalid_argument, "no value for input ",
            in_quotes(names[i]));
    out.push_back(*std::move(given[i]));
  }
  return out;
}

std::size_t output_by_name(const TypedModel& model, std::string_view name) {
  return place_of(name, output_names(model), "output");
}

}  // namespace strata
