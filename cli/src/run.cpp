#include <cstdio>
#include <deque>

#include "commands.h"
#include "entries.h"
#include "files.h"
#include "npz.h"
#include "ports.h"
#include "profile.h"
#include "random_values.h"
#include "strata/core/replacement.h"
#include "strata/core/session.h"
#include "strata/onnx/load.h"
#include "terminal.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

bool names_folder(const fs::path& path) { return path.string().ends_with('/') || is_folder(path); }

/// Checks what can be checked before the model is read.
void check_output(const fs::path& path) {
  if (path.empty() || names_folder(path)) return;
  require(path.extension() == ".npz", ErrorKind::invalid_argument, in_quotes(path.string()),
          " tells no format; end it with .npz, or with a slash for a folder");
  check_npz();
  check_writable(path);
}

/// Writes all files before any of them takes its place, so that no half-written set is left.
/// Removes files of an earlier run with more outputs.
void write_folder(const TypedModel& model, const ValueList& values, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, ErrorKind::file, "cannot make the folder ", in_quotes(folder.string()), ": ",
          error.message());
  const auto path = [&](std::size_t i) { return folder / cat("output_", i, ".pb"); };
  std::deque<Replacement> files;
  for (std::size_t i = 0; i < values.size(); ++i)
    files.emplace_back(path(i)).write(onnx::to_bytes(values[i], model.outputs()[i].name));
  for (const Replacement& file : files) file.finish();
  for (std::size_t i = values.size(); fs::remove(path(i), error);) ++i;
}

void write_outputs(const TypedModel& model, const ValueList& values, const fs::path& path) {
  if (names_folder(path)) return write_folder(model, values, path);
  Entries entries;
  for (std::size_t i = 0; i < values.size(); ++i)
    add_entries(model.outputs()[i].name, values[i], entries);
  write_npz(path, entries);
}

/// Prints the beginning of each output.
void print_outputs(const TypedModel& model, const ValueList& outputs) {
  const Style style = Style::of_stdout();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    print(cat(style.name(model.outputs()[i].name), "  ", outputs[i].to_string(), '\n'));
}

/// Prints a line for each output: whether it is as expected. Returns whether all are.
bool compare_outputs(const TypedModel& model, const ValueList& actual, const ValueList& expected,
                     const RunOptions& options) {
  const Style style = Style::of_stdout();
  bool same = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto wrong = difference(actual[i], expected[i], options.tolerance);
    same &= !wrong;
    print(cat(style.name(model.outputs()[i].name), ": ",
              wrong ? style.bad("differs") : style.good("as expected"), wrong ? ": " : "",
              wrong.value_or(""), '\n'));
  }
  return same;
}

}  // namespace

int run(const RunOptions& options) {
  check_output(options.output);
  check_trace(options.trace);
  const MemoryScope memory(options.load.limits);
  const TypedModel loaded = load_typed(options.model, options.load);
  if (!options.output.empty() && !names_folder(options.output)) {
    check_array_names(outputs_of(loaded));
    for (const GraphOutput& output : loaded.outputs()) check_npz_name(output.name);
  }
  const ValueList inputs =
      doing("giving inputs to", options.model, [&] { return read_inputs(loaded, options.inputs); });
  const auto plan = Plan::build(loaded, options.load.limits);
  const TypedModel& model = plan->model();
  ValueList expected;
  if (!options.expect.empty()) expected = read_outputs(model, options.expect);
  if (options.inputs.seed)
    std::fputs(
        cat("random inputs from seed ", *options.inputs.seed, ": ", kRandomDistribution, '\n')
            .c_str(),
        stderr);
  const ValueList outputs = doing("running", options.model, [&] {
    try {
      return Session(plan, options.session).run(inputs);
    } catch (Error& error) {
      add_output_shapes_hint(error, options.model, options.load, loaded);
      throw;
    }
  });
  print_outputs(model, outputs);
  if (!options.output.empty()) write_outputs(model, outputs, options.output);
  if (options.is_profiled) profile(plan, inputs, options.session, options.trace);
  if (options.expect.empty()) return kOk;
  return compare_outputs(model, outputs, expected, options) ? kOk : kDifferent;
}

}  // namespace strata::cli
