#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "constants.h"
#include "shapes.h"
#include "strata/core/transform.h"
#include "strata/hir/inference_model.h"

namespace strata::cli {

/// How far a model is taken: each stage includes those before it.
enum class Stage {
  load,       ///< as its file says it
  analyse,    ///< with inferred facts
  typed,      ///< in core ops
  declutter,  ///< simplified, still portable
  optimise,   ///< lowered to kernels of this machine
};

enum class Format { onnx, opl };

struct LoadOptions {
  Stage stage = Stage::declutter;
  Dim::Bindings sizes;                 ///< symbols to replace
  InputShapes shapes;                  ///< sizes of inputs, where the model leaves them open
  ConstantSources constants;           ///< inputs to replace
  std::vector<std::string> as_inputs;  ///< inputs to keep although the ONNX file has a default
  std::vector<std::string> given;      ///< values of inputs, NAME=FILE each
  bool ignores_output_shapes = false;  ///< that an ONNX file declares
  Limits limits;
  Target target;  ///< that kernels are chosen for
};

/// A model at some stage: an InferenceModel before `typed`, a TypedModel from there on.
struct LoadedModel {
  Format format = Format::onnx;
  std::optional<hir::InferenceModel> inference;
  std::optional<TypedModel> typed;
};

/// Runs `work`, adding what is being done to its errors.
template <class Work>
auto doing(std::string_view what, const std::filesystem::path& path, Work&& work) {
  try {
    return work();
  } catch (Error& error) {
    throw error.in(cat("while ", what, ' ', path.string()));
  }
}

/// The format of a file or folder by its content; ONNX if it is not recognised, since ONNX's reader
/// names other kinds of files in its errors. Throws: file when it cannot be read.
Format format_of(const std::filesystem::path& path);

/// Reads the model at `path` and takes it to a stage; an OPL model is typed from the start. Throws:
/// file, invalid_model, unsupported, limit; invalid_argument when `sizes` names a symbol no input
/// has or what `shapes` tells otherwise, `shapes` or `constants` no input or what does not fit it,
/// or `as_inputs` one for which the file has no value. An invalid model that would load if it
/// declared no sizes of its outputs is refused with a hint of that.
LoadedModel load_model(const std::filesystem::path& path, const LoadOptions& options);

/// The same for stages from `typed` on.
TypedModel load_typed(const std::filesystem::path& path, const LoadOptions& options);

/// Adds a hint to an error of inputs that do not fit the model at `path`, if the sizes that the
/// file declares for its outputs are the reason: they may fix sizes of inputs that the file itself
/// leaves open. `model` was loaded with these options.
void add_output_shapes_hint(Error& error, const std::filesystem::path& path,
                            const LoadOptions& options, const TypedModel& model);

}  // namespace strata::cli
