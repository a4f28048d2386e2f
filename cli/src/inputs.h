#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::cli {

/// Where the values of a model's inputs come from; what is named on its own wins over `all`, and
/// both over `seed`.
struct InputSources {
  std::vector<std::string> named;     ///< NAME=FILE each, of an `.npy` or `.pb`
  std::filesystem::path all;          ///< an `.npz`, or a folder with input_k.pb; or empty
  std::optional<std::uint64_t> seed;  ///< for random values
};

/// One value from an `.npy` or `.pb` file, told apart by the content; an `.npy` may come through a
/// pipe. Throws: file; limit; invalid_argument when it is of another type.
Value read_value_file(const std::filesystem::path& path, const ValueType& type);

/// A value for each input of the model, in order.
/// Throws: invalid_argument when one is missing, unknown or of another type; file.
ValueList read_inputs(const TypedModel& model, const InputSources& sources);

/// The values of all outputs from an `.npz` or a folder with output_k.pb. Throws: as read_inputs.
ValueList read_outputs(const TypedModel& model, const std::filesystem::path& path);

}  // namespace strata::cli
