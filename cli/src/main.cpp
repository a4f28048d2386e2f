#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <new>

#include "commands.h"
#include "terminal.h"

namespace strata::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything the command line may say, and which subcommand it chose.
struct CommandLine {
  DumpOptions dump;
  OptimizeOptions optimize;
  RunOptions run;
  OpsOptions ops;
  std::optional<double> timeout;
  std::function<int()> command;
};

constexpr char kDescription[] =
    "Strata loads ONNX and OPL models, shows them at each stage, simplifies and runs them.";

constexpr char kFooter[] = R"(
Examples:
  strata dump model.onnx                                  look at it, simplified
  strata optimize model.onnx -o model.opl --explain       simplify it and say how
  strata run model.opl --input x=x.npy --output y.npz     run it
  strata COMMAND --help                                   more on a command

Exit codes: 0 ok, 1 outputs differ, 2 usage, 3 file, 4 model invalid or unsupported, 5 run failed or limit reached,
124 timeout, 70 a mistake in Strata itself.
)";

constexpr char kDumpFooter[] = R"(
Stages: load (as the file says it), analyse (with inferred facts), typed (in core ops), declutter (simplified),
optimise (lowered to kernels of this machine). An OPL model is typed from the start.

A line is: name  Op attributes (inputs) -> facts. A fact is a type and a shape, f32[N,3]; a size may be a symbol, and
[..] is a shape whose rank only the run can tell. Constants stand where they are used.

Examples:
  strata dump model.onnx --stage load
  strata dump model.onnx --stage typed --json | jq .summary
)";

constexpr char kOptimizeFooter[] = R"(
The end of OUT says what is written: .opl, .tgz and .tar.gz a compressed tar, .tar a tar, a slash a folder. What is
written is portable; kernels are chosen when it is run.

Examples:
  strata optimize model.onnx -o model.opl --explain
  strata optimize model.onnx -o folder/ --set batch=1
)";

constexpr char kRunFooter[] = R"(
Inputs: .npy and .npz as numpy writes them, or the .pb files of ONNX's test data. Item 2 of a sequence input s is the
array s.2 of an .npz; an empty optional is absent. Random values are floats uniform in [-1, 1), integers from 0 to 9,
fair bools and short words; they fill the inputs that are not given.

Examples:
  strata run model.onnx --input image=digit.npy
  strata run model.onnx --inputs test_data_set_0 --expect test_data_set_0
  strata run model.opl --random 1 --set N=4 --output answers.npz
  strata run model.onnx --random 1 --timeout 2 --max-memory 512M
)";

/// `text` as NAME=VALUE, split at the last `=`.
std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   const std::string& option) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw CLI::ValidationError(option, "NAME=VALUE wanted, \"" + text + "\" given");
  return {text.substr(0, at), text.substr(at + 1)};
}

std::int64_t whole_number(std::string_view text, const std::string& option) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw CLI::ValidationError(option,
                               "a whole number wanted, \"" + std::string(text) + "\" given");
  return value;
}

/// `512M` and the like, in bytes.
std::int64_t byte_count(std::string text, const std::string& option) {
  int shift = 0;
  const std::size_t at = std::string("kMGT").find(text.empty()         ? ' '
                                                  : text.back() == 'K' ? 'k'
                                                                       : text.back());
  if (at != std::string::npos) {
    shift = 10 * (static_cast<int>(at) + 1);
    text.pop_back();
  }
  const std::int64_t value = whole_number(text, option);
  if (value > (INT64_MAX >> shift))
    throw CLI::ValidationError(option, "\"" + text + "\" is too large");
  return value << shift;
}

void add_model(CLI::App& command, std::filesystem::path& model) {
  command
      .add_option("MODEL", model, "An ONNX file, or an OPL file or folder; the content tells which")
      ->required();
}

void add_sizes(CLI::App& command, LoadOptions& load) {
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&load](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              const auto [name, value] = name_and_value(word, "--set");
              load.sizes[name] = whole_number(value, "--set");
            }
          },
          "Give a symbolic size a value, as in N=4; may be repeated")
      ->type_name("NAME=SIZE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_stage(CLI::App& command, LoadOptions& load, std::map<std::string, Stage> stages,
               const std::string& otherwise) {
  load.stage = stages.at(otherwise);
  std::string names;
  for (const char* name : {"load", "analyse", "typed", "declutter", "optimise"})
    if (stages.contains(name)) names += (names.empty() ? "" : "|") + std::string(name);
  command
      .add_option_function<std::string>(
          "--stage",
          [&load, stages, names](const std::string& name) {
            const auto at = stages.find(name);
            if (at == stages.end())
              throw CLI::ValidationError("--stage", names + " wanted, \"" + name + "\" given");
            load.stage = at->second;
          },
          "How far to take the model (default " + otherwise + ")")
      ->type_name(names);
}

void add_dump(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("dump", "Show a model as a tree");
  add_model(command, line.dump.model);
  add_stage(command, line.dump.load,
            {{"load", Stage::load},
             {"analyse", Stage::analyse},
             {"typed", Stage::typed},
             {"declutter", Stage::declutter},
             {"optimise", Stage::optimise}},
            "declutter");
  command.add_flag("--json", line.dump.json, "Write JSON, schema strata.dump/1");
  add_sizes(command, line.dump.load);
  command.footer(kDumpFooter);
  command.callback([&line] { line.command = [&line] { return dump(line.dump); }; });
}

void add_optimize(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("optimize", "Simplify a model and write it as OPL");
  add_model(command, line.optimize.model);
  command.add_option("-o,--output", line.optimize.output, "Where to write it")
      ->required()
      ->type_name("OUT");
  command.add_flag("--explain", line.optimize.explain,
                   "Count each rewrite, and nodes and cost before and after");
  add_sizes(command, line.optimize.load);
  command.footer(kOptimizeFooter);
  command.callback([&line] { line.command = [&line] { return optimize(line.optimize); }; });
}

void add_run_inputs(CLI::App& command, RunOptions& run) {
  command
      .add_option_function<std::vector<std::string>>(
          "--input",
          [&run](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              auto [name, file] = name_and_value(word, "--input");
              run.inputs.named.emplace_back(name, file);
            }
          },
          "The value of one input, from a .npy or .pb file; may be repeated")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--inputs", run.inputs.all,
                  "The values of all inputs: an .npz, or a folder with input_0.pb, …")
      ->type_name("FILE.npz|FOLDER");
  command.add_option("--random", run.inputs.seed, "Random values for inputs that are not given")
      ->type_name("SEED");
}

void add_run_limits(CLI::App& command, CommandLine& line) {
  Limits& limits = line.run.load.limits;
  command.add_option("--timeout", line.timeout, "Stop after this many seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  command
      .add_option_function<std::string>(
          "--max-iterations",
          [&limits](const std::string& text) {
            limits.iterations = whole_number(text, "--max-iterations");
          },
          "Loop iterations, over all loops")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--max-memory",
          [&limits](const std::string& text) {
            limits.total_bytes = byte_count(text, "--max-memory");
          },
          "Bytes of all tensors together; k, M, G, T as suffix")
      ->type_name("SIZE");
}

void add_run(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("run", "Run a model");
  add_model(command, line.run.model);
  add_run_inputs(command, line.run);
  command
      .add_option("--output", line.run.output,
                  "Write the outputs: an .npz, or a folder for output_0.pb, …")
      ->type_name("FILE.npz|FOLDER/");
  command
      .add_option("--expect", line.run.expect,
                  "Compare the outputs with an .npz or a folder with output_0.pb, …")
      ->type_name("FILE.npz|FOLDER");
  command
      .add_option("--rtol", line.run.tolerance.relative,
                  "Tolerance relative to the expected value (default 1e-3)")
      ->type_name("R")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--atol", line.run.tolerance.absolute, "Absolute tolerance (default 1e-7)")
      ->type_name("A")
      ->check(CLI::NonNegativeNumber);
  add_sizes(command, line.run.load);
  add_stage(
      command, line.run.load,
      {{"typed", Stage::typed}, {"declutter", Stage::declutter}, {"optimise", Stage::optimise}},
      "optimise");
  add_run_limits(command, line);
  command.footer(kRunFooter);
  command.callback([&line] { line.command = [&line] { return run(line.run); }; });
}

void add_ops(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("ops", "List the supported ONNX ops and their versions");
  command.add_flag("--json", line.ops.json, "Write JSON, schema strata.ops/1");
  command.callback([&line] { line.command = [&line] { return ops(line.ops); }; });
}

ExitCode exit_code(const Error& error, const CommandLine& line, Clock::time_point start) {
  switch (error.kind()) {
    case ErrorKind::file:
      return kFile;
    case ErrorKind::invalid_model:
    case ErrorKind::unsupported:
      return kModel;
    case ErrorKind::invalid_argument:
      return kUsage;
    case ErrorKind::limit: {
      const bool late =
          line.timeout &&
          std::chrono::duration<double>(Clock::now() - start).count() >= *line.timeout;
      return late ? kTimeout : kRun;
    }
    case ErrorKind::run_time:
    case ErrorKind::cancelled:
      return kRun;
    case ErrorKind::internal:
      break;
  }
  return kInternal;
}

int report(std::string_view message, int code) {
  std::fprintf(stderr, "error: %.*s\n", static_cast<int>(message.size()), message.data());
  if (code == kInternal)
    std::fputs("  this is a mistake in Strata; please report it with the model\n", stderr);
  return code;
}

int run_command(CommandLine& line) {
  const Clock::time_point start = Clock::now();
  if (line.timeout)
    line.run.load.limits.time =
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(*line.timeout, 9e9) * 1e9));
  try {
    const int code = line.command();
    flush_output();
    return code;
  } catch (const Error& error) {
    return report(error.what(), exit_code(error, line, start));
  } catch (const std::bad_alloc&) {
    return report("out of memory", kRun);
  } catch (const std::exception& error) {
    return report(error.what(), kInternal);
  }
}

int main_with(int argc, char** argv) {
  CLI::App app(kDescription, "strata");
  app.set_version_flag("--version", "strata " STRATA_VERSION);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  CommandLine line;
  add_dump(app, line);
  add_optimize(app, line);
  add_run(app, line);
  add_ops(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return report(error.what(), kUsage);
  }
  if (line.command) return run_command(line);
  std::fputs(app.help().c_str(), stderr);
  return kUsage;
}

}  // namespace
}  // namespace strata::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  return strata::cli::main_with(argc, argv);
}
