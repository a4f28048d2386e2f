#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "strata/core/limits.h"
#include "strata/core/ops/all.h"
#include "strata/core/typed_model.h"
#include "strata/opl/archive.h"

/// Models as OPL: a text, `graph.nnef`, and a `.dat` file for each constant tensor.
///
/// Writing what was read gives the same bytes again. Facts are not stored except those of the
/// inputs: reading works them out anew, so a fresh dim may get another number.
///
/// Ops that are none of core's are written and read by the entries of `own` (op_entry<Op>()).
namespace strata::opl {

/// Writes `model` at `path`; its name decides the container (archive_kind_of).
/// Throws: invalid_argument for a name that does not tell the container; unsupported for an op that
/// is not portable; file.
void save(const TypedModel& model, const std::filesystem::path& path,
          std::span<const OpEntry> own = {});

/// The files that `save` puts into the container; they hold on to the model's tensors.
FilesToWrite to_files(const TypedModel& model, std::span<const OpEntry> own = {});

/// Reads the model at `path`: a container, or the `graph.nnef` of a folder.
/// Throws: invalid_model with `file:line:column`; unsupported for an unknown fragment; limit;
/// file.
TypedModel load(const std::filesystem::path& path, const Limits& limits = {},
                std::span<const OpEntry> own = {});

/// Reads a model from the files of a container; `name` is for messages.
TypedModel load(const ArchiveFiles& files, std::string_view name, const Limits& limits = {},
                std::span<const OpEntry> own = {});

/// Whether a file that starts with these bytes (512 are enough) may be a container or a
/// `graph.nnef`.
bool looks_like_opl(std::span<const std::byte> start);

/// The whole model as one text, with every constant in it; for dumps and tests.
std::string to_text(const TypedModel& model, std::span<const OpEntry> own = {});
/// Reads such a text.
TypedModel from_text(std::string_view text, const Limits& limits = {},
                     std::span<const OpEntry> own = {});

}  // namespace strata::opl
