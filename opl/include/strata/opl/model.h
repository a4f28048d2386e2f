#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "strata/core/limits.h"
#include "strata/core/typed_model.h"
#include "strata/opl/archive.h"

/// Models as OPL: a text, `graph.nnef`, and a `.dat` file for each constant tensor.
///
/// Writing what was read gives the same bytes again. Facts are not stored except those of the
/// inputs: reading works them out anew, so a fresh dim may get another number.
namespace strata::opl {

/// Writes `model` at `path`; its name decides the container (archive_kind_of).
/// Throws: invalid_argument for a name that does not tell the container; unsupported for an op that is not
/// portable; file.
void save(const TypedModel& model, const std::filesystem::path& path);

/// The files that `save` puts into the container; they hold on to the model's tensors.
FilesToWrite to_files(const TypedModel& model);

/// Reads the model at `path`: a container, or the `graph.nnef` of a folder.
/// Throws: invalid_model with `file:line:column`; unsupported for an unknown fragment; limit;
/// file.
TypedModel load(const std::filesystem::path& path, const Limits& limits = {});

/// Reads a model from the files of a container; `name` is for messages.
TypedModel load(const ArchiveFiles& files, std::string_view name, const Limits& limits = {});

/// Whether a file that starts with these bytes (512 are enough) may be a container or a
/// `graph.nnef`.
bool looks_like_opl(std::span<const std::byte> start);

/// The whole model as one text, with every constant in it; for dumps and tests.
std::string to_text(const TypedModel& model);
/// Reads such a text.
TypedModel from_text(std::string_view text, const Limits& limits = {});

}  // namespace strata::opl
