#include "model_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "files.h"
#include "strata/onnx/load.h"
#include "strata/opl/model.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

void check_symbols(const std::vector<std::string>& known, const Dim::Bindings& sizes) {
  for (const auto& [name, size] : sizes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = known.empty() ? "no input has a symbolic size" : "the inputs have ";
    for (std::size_t i = 0; i < known.size(); ++i) hint += cat(i ? ", " : "", known[i]);
    if (SymbolScope::is_fresh_name(name))
      hint += "; a size that the file does not name is given by --shape";
    fail(ErrorKind::invalid_argument, "no input has a size named ", in_quotes(name), "; ", hint);
  }
}

/// The sizes given by `--set`, and those that follow from the shapes given by `--shape`.
Dim::Bindings all_sizes(const Dim::Bindings& set, const Dim::Bindings& from_shapes) {
  Dim::Bindings out = set;
  for (const auto& [name, size] : from_shapes) {
    const Dim& other = out.emplace(name, size).first->second;
    require(other == size, ErrorKind::invalid_argument, "--shape gives ", name, " the size ", size,
            ", --set ", other);
  }
  return out;
}

TypedModel read_opl(const fs::path& path, const LoadOptions& options) {
  require(options.as_inputs.empty(), ErrorKind::invalid_argument,
          "--as-input is for ONNX files; of an OPL file no input has a value");
  TypedModel model = opl::load(path, options.limits);
  check_symbols(input_symbols(model), options.sizes);
  const Dim::Bindings sizes = all_sizes(options.sizes, sizes_for(model, options.shapes));
  return doing("changing inputs of", path, [&] {
    if (!sizes.empty()) model = concretize_dims(model, sizes);
    return options.constants.empty() ? model : with_constants(model, options.constants);
  });
}

/// Turns constants that are defaults of inputs back into inputs, if the command line asks for it or
/// gives another value.
void free_inputs(hir::InferenceModel& model, const LoadOptions& options) {
  for (const std::string& name : options.as_inputs) model.make_input(name);
  const auto gives = [](const std::vector<std::string>& words, const std::string& name) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return word.starts_with(name + "="); });
  };
  const std::vector<hir::DefaultInput> left = model.defaults();
  for (const hir::DefaultInput& input : left)
    if (gives(options.given, input.name) || gives(options.constants, input.name))
      model.make_input(input.name);
}

hir::InferenceModel read_onnx(const fs::path& path, const LoadOptions& options) {
  hir::InferenceModel model = onnx::load(path, options.limits);
  doing("changing inputs of", path, [&] { free_inputs(model, options); });
  if (options.ignores_output_shapes) model.forget_output_shapes();
  check_symbols(input_symbols(model), options.sizes);
  const Dim::Bindings sizes = all_sizes(options.sizes, set_shapes(model, options.shapes));
  doing("changing inputs of", path, [&] {
    if (!sizes.empty()) model = concretize_dims(model, sizes);
    fix_inputs(model, options.constants);
  });
  return model;
}

/// Whether `narrow` has numbers where `wide` has symbols.
bool is_narrowed(const ShapeFact& wide, const ShapeFact& narrow) {
  if (wide.is_open() || narrow.is_open() || wide.rank() != narrow.rank())
    return wide.is_open() && narrow.is_known();
  for (std::size_t axis = 0; axis < wide.rank(); ++axis)
    if (narrow[axis].is_constant() && !wide[axis].is_constant()) return true;
  return false;
}

}  // namespace

Format format_of(const fs::path& path) {
  if (is_folder(path)) return Format::opl;
  std::ifstream file(path, std::ios::binary);
  require(file.good(), ErrorKind::file, "cannot read ", in_quotes(path.string()), ": ",
          std::string_view(std::strerror(errno)));
  std::array<char, 512> start;
  file.read(start.data(), start.size());
  const std::string_view read(start.data(), static_cast<std::size_t>(file.gcount()));
  // A Git LFS pointer begins like an OPL text; ONNX's reader has an error of its own for it.
  if (read.starts_with("version https://git-lfs")) return Format::onnx;
  if (path.filename() == opl::kGraphFile) return Format::opl;
  return opl::looks_like_opl(std::as_bytes(std::span(read))) ? Format::opl : Format::onnx;
}

namespace {

/// How a hint begins that says what is otherwise where those sizes do not count.
constexpr std::string_view kDeclared =
    "while the sizes that the file declares of its outputs count; with --ignore-output-shapes ";

LoadedModel load(const fs::path& path, const LoadOptions& options) {
  LoadedModel out{.format = format_of(path), .inference = {}, .typed = {}};
  const Limits& limits = options.limits;
  if (out.format == Format::opl) {
    out.typed = read_opl(path, options);
  } else {
    out.inference = read_onnx(path, options);
    if (options.stage == Stage::load) return out;
    doing("analysing", path, [&] { out.inference->analyse(); });
    if (options.stage == Stage::analyse) return out;
    out.typed = doing("typing", path, [&] {
      return options.constants.empty() ? out.inference->to_typed()
                                       : to_typed(*out.inference, options.constants);
    });
    out.inference.reset();
  }
  if (options.stage >= Stage::declutter)
    doing("decluttering", path, [&] { declutter(*out.typed, limits); });
  if (options.stage >= Stage::optimise)
    doing("optimising", path, [&] { optimise(*out.typed, options.target, limits); });
  return out;
}

LoadOptions without_output_shapes(LoadOptions options) {
  options.ignores_output_shapes = true;
  return options;
}

/// Whether a file that does not load would do so if it declared no sizes of its outputs. It is read
/// again, which a pipe cannot be.
bool loads_without_output_shapes(const fs::path& path, const LoadOptions& options) {
  if (options.ignores_output_shapes || !fs::is_regular_file(path) ||
      format_of(path) != Format::onnx)
    return false;
  try {
    (void)load(path, without_output_shapes(options));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LoadedModel load_model(const fs::path& path, const LoadOptions& options) {
  try {
    return load(path, options);
  } catch (Error& error) {
    if (error.kind() == ErrorKind::invalid_model && loads_without_output_shapes(path, options))
      error.in(cat(kDeclared, "it loads"));
    throw;
  }
}

TypedModel load_typed(const fs::path& path, const LoadOptions& options) {
  LoadedModel model = load_model(path, options);
  require(model.typed.has_value(), ErrorKind::internal, "the model is not typed at this stage");
  return *std::move(model.typed);
}

void add_output_shapes_hint(Error& error, const fs::path& path, const LoadOptions& options,
                            const TypedModel& model) {
  if (error.kind() != ErrorKind::invalid_argument || options.ignores_output_shapes ||
      format_of(path) != Format::onnx)
    return;
  LoadOptions ignoring = without_output_shapes(options);
  ignoring.stage = Stage::typed;
  try {
    const TypedModel freer = load_typed(path, ignoring);
    for (std::size_t i = 0; i < freer.inputs().size(); ++i)
      if (is_narrowed(freer.input_fact(i).shape, model.input_fact(i).shape))
        error.in(cat(kDeclared, in_quotes(freer.input_name(i)), " is ", freer.input_fact(i)));
  } catch (const Error&) {  // it may not load without them; then there is nothing to add
  }
}

}  // namespace strata::cli
