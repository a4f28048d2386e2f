#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "allocations.h"
#include "help.h"
#include "profile.h"
#include "words.h"

namespace strata::cli {
namespace {

/// What an option does with its word; errors name the option.
using TakeWord = std::function<void(const std::string& word, const std::string& option)>;

void add_word(CLI::App& command, const std::string& option, const std::string& type,
              const std::string& description, TakeWord take) {
  command
      .add_option_function<std::string>(
          option, [option, take = std::move(take)](const std::string& word) { take(word, option); },
          description)
      ->type_name(type);
}

/// An option that may be repeated; `take` gets its words one after the other.
void add_repeated(CLI::App& command, const std::string& option, const std::string& type,
                  const std::string& description, TakeWord take) {
  command
      .add_option_function<std::vector<std::string>>(
          option,
          [option, take = std::move(take)](const std::vector<std::string>& words) {
            for (const std::string& word : words) take(word, option);
          },
          description + "; may be repeated")
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// An option whose word names one of several values.
template <class T>
void add_choice(CLI::App& command, const std::string& option, const std::string& description,
                const Choices<T>& choices, T& value) {
  std::string names;
  for (const auto& [name, meant] : choices) names += (names.empty() ? "" : "|") + name;
  add_word(command, option, names, description,
           [choices, names, &value](const std::string& word, const std::string& called) {
             for (const auto& [name, meant] : choices)
               if (name == word) return void(value = meant);
             fail_unwanted(called, names, word);
           });
}

/// Checks the name of a file: a shell variable that is not set gives an empty one.
std::string refuse_empty(const std::string& text) {
  return text.empty() ? "a name wanted, \"\" given" : "";
}

void add_sizes(CLI::App& command, LoadOptions& load) {
  add_repeated(command, "--set", "NAME=SIZE", "Give a symbolic size a value, as in N=4",
               [&load](const std::string& word, const std::string& option) {
                 const auto [name, value] = name_and_value(word, option);
                 const Dim size = whole_number(value, option);
                 if (!load.sizes.emplace(name, size).second) fail_repeated(option, name);
               });
}

void add_shapes(CLI::App& command, LoadOptions& load) {
  add_repeated(command, "--shape", "NAME=SIZES", "Give an input its sizes, as in x=1,576",
               [&load](const std::string& word, const std::string& option) {
                 const auto [name, sizes] = name_and_value(word, option);
                 const bool is_new = load.shapes.emplace(name, size_list(sizes, option)).second;
                 if (!is_new) fail_repeated(option, name);
               });
}

void add_constants(CLI::App& command, LoadOptions& load) {
  add_repeated(
      command, "--const", "NAME=NUMBER|FILE",
      "Fix an input to a number, or to the value in a .npy or .pb file",
      [&load](const std::string& word, const std::string&) { load.constants.push_back(word); });
}

void add_freed_inputs(CLI::App& command, LoadOptions& load) {
  add_repeated(command, "--as-input", "NAME",
               "Keep an input that has a default value in the ONNX file",
               [&load](const std::string& name, const std::string& option) {
                 auto& names = load.as_inputs;
                 if (std::find(names.begin(), names.end(), name) != names.end())
                   fail_repeated(option, name);
                 names.push_back(name);
               });
}

void add_unrolling(CLI::App& command, Limits& limits) {
  add_word(command, "--unroll", "auto|never|N",
           "Unroll loops of at most N iterations (default auto, which is 64)",
           [&limits](const std::string& word, const std::string& option) {
             if (word == "auto") return;
             limits.unroll_trips = word == "never" ? 0 : whole_number(word, option, "auto|never|N");
             limits.unroll_nodes = limits.nodes;  // an explicit number also unrolls large bodies
           });
}

void add_model(CLI::App& command, std::filesystem::path& model, LoadOptions& load) {
  command
      .add_option("MODEL", model, "An ONNX file, or an OPL file or folder; the content tells which")
      ->required();
  add_sizes(command, load);
  add_shapes(command, load);
  add_constants(command, load);
  add_freed_inputs(command, load);
  command.add_flag("--ignore-output-shapes", load.ignores_output_shapes,
                   "Let outputs have sizes other than an ONNX file declares");
  add_unrolling(command, load.limits);
  add_choice(command, "--winograd",
             "Whether convolutions may trade accuracy for speed (default auto)",
             {{"auto", Winograd::automatic}, {"never", Winograd::never}}, load.target.winograd);
  add_choice(command, "--rounding",
             "Round operands of 4- and 8-bit weights to bytes (default auto: where the model "
             "permits it)",
             {{"auto", RowRounding::automatic},
              {"never", RowRounding::never},
              {"always", RowRounding::always}},
             load.target.rounding);
}

/// The stages from `first` on.
void add_stage(CLI::App& command, LoadOptions& load, Stage first, const std::string& otherwise) {
  Choices<Stage> stages{{"load", Stage::load},
                        {"analyse", Stage::analyse},
                        {"typed", Stage::typed},
                        {"declutter", Stage::declutter},
                        {"optimise", Stage::optimise}};
  std::erase_if(stages, [&](const auto& stage) { return stage.second < first; });
  add_choice(command, "--stage", "How far to take the model (default " + otherwise + ")", stages,
             load.stage);
}

void add_inputs(CLI::App& command, InputSources& inputs, LoadOptions& load) {
  add_repeated(command, "--input", "NAME=FILE", "The value of one input, from a .npy or .pb file",
               [&inputs, &load](const std::string& word, const std::string&) {
                 inputs.named.push_back(word);
                 load.given.push_back(word);
               });
  command
      .add_option("--inputs", inputs.all,
                  "The values of all inputs: an .npz, or a folder with input_0.pb, …")
      ->type_name("FILE.npz|FOLDER")
      ->check(refuse_empty);
  add_word(command, "--random", "SEED", "Fill inputs that are not given with random values",
           [&inputs](const std::string& word, const std::string& option) {
             inputs.seed = static_cast<std::uint64_t>(whole_number(word, option));
           });
}

void add_number_from_0(CLI::App& command, const std::string& option, const std::string& type,
                       const std::string& description, double& number) {
  add_word(command, option, type, description,
           [&number](const std::string& word, const std::string& called) {
             number = number_from_0(word, called);
           });
}

void add_timeout(CLI::App& command, std::optional<double>& timeout) {
  add_word(command, "--timeout", "S", "Stop after this many seconds",
           [&timeout](const std::string& word, const std::string& option) {
             timeout = positive_number(word, option);
           });
}

void fill_dump(CLI::App& command, CommandLine& line) {
  add_model(command, line.dump.model, line.dump.load);
  add_stage(command, line.dump.load, Stage::load, "declutter");
  command.add_flag("--json", line.dump.json, "Write JSON, schema strata.dump/1");
  add_timeout(command, line.timeout);
  command.footer(kDumpFooter);
  command.callback([&line] { line.command = [&line] { return dump(line.dump); }; });
}

void fill_optimize(CLI::App& command, CommandLine& line) {
  add_model(command, line.optimize.model, line.optimize.load);
  command.add_option("-o,--output", line.optimize.output, "Where to write the model")
      ->required()
      ->type_name("OUT");
  command.add_flag("--explain", line.optimize.explain,
                   "Count each rewrite, and nodes and cost before and after");
  add_timeout(command, line.timeout);
  command.footer(kOptimizeFooter);
  command.callback([&line] { line.command = [&line] { return optimize(line.optimize); }; });
}

/// What one run may spend.
void add_limits(CLI::App& command, Limits& limits, std::optional<double>& timeout) {
  add_timeout(command, timeout);
  add_word(command, "--max-iterations", "N", "Allow at most N iterations, over all loops",
           [&limits](const std::string& word, const std::string& option) {
             limits.iterations = whole_number(word, option);
           });
  add_word(command, "--max-memory", "SIZE",
           "Allow at most SIZE bytes for all tensors together; suffix k, M, G or T",
           [&limits](const std::string& word, const std::string& option) {
             limits.total_bytes = byte_count(word, option);
           });
}

void add_session(CLI::App& command, SessionOptions& session) {
  add_word(command, "--threads", "N", "Threads that share the work of a run, 1 to 1024 (default 1)",
           [&session](const std::string& word, const std::string& option) {
             session.threads = static_cast<std::size_t>(count_up_to(1024, word, option));
           });
  command.add_flag("--denormals-as-zero", session.denormals_as_zero,
                   "Treat numbers below the least normal one as zero");
}

void add_profile(CLI::App& command, RunOptions& options) {
  command
      .add_option_function<std::string>(
          "--profile",
          [&options](const std::string& trace) {
            options.is_profiled = true;
            options.trace = trace;
            check_trace(options.trace);
          },
          "Show where the time goes, node by node; with FILE, also as a trace for Perfetto")
      ->type_name("[FILE.json]")
      ->expected(0, 1);
}

void fill_run(CLI::App& command, CommandLine& line) {
  add_model(command, line.run.model, line.run.load);
  add_inputs(command, line.run.inputs, line.run.load);
  command
      .add_option("--output", line.run.output,
                  "Write the outputs: an .npz, or a folder for output_0.pb, …")
      ->type_name("FILE.npz|FOLDER/")
      ->check(refuse_empty);
  command
      .add_option("--expect", line.run.expect,
                  "Compare the outputs with an .npz or a folder with output_0.pb, …")
      ->type_name("FILE.npz|FOLDER")
      ->check(refuse_empty);
  add_number_from_0(command, "--rtol", "R",
                    "Tolerance relative to the expected value (default 1e-3)",
                    line.run.tolerance.relative);
  add_number_from_0(command, "--atol", "A", "Absolute tolerance (default 1e-7)",
                    line.run.tolerance.absolute);
  line.run.load.stage = Stage::optimise;
  add_stage(command, line.run.load, Stage::typed, "optimise");
  add_session(command, line.run.session);
  add_profile(command, line.run);
  add_limits(command, line.run.load.limits, line.timeout);
  command.footer(kRunFooter);
  command.callback([&line] { line.command = [&line] { return run(line.run); }; });
}

void fill_bench(CLI::App& command, CommandLine& line) {
  BenchOptions& measured = line.bench;
  add_model(command, measured.model, measured.load);
  add_inputs(command, measured.inputs, measured.load);
  add_session(command, measured.session);
  add_number_from_0(command, "--seconds", "S", "Seconds of timed runs (default 0.5)",
                    measured.seconds);
  command.add_flag("--json", measured.json, "Write JSON, schema strata.bench/1");
  measured.load.stage = Stage::optimise;
  measured.allocations_in = allocations_in;
  add_limits(command, measured.load.limits, line.timeout);
  command.footer(kBenchFooter);
  command.callback([&line] { line.command = [&line] { return bench(line.bench); }; });
}

void fill_ops(CLI::App& command, CommandLine& line) {
  CLI::Option* json = command.add_flag_callback(
      "--json", [&line] { line.ops.format = OpsFormat::json; }, "Write JSON, schema strata.ops/2");
  command
      .add_flag_callback(
          "--markdown", [&line] { line.ops.format = OpsFormat::markdown; }, "Write a Markdown page")
      ->excludes(json);
  command.footer(kOpsFooter);
  command.callback([&line] { line.command = [&line] { return ops(line.ops); }; });
}

struct Subcommand {
  const char* name;
  const char* description;
  void (*fill)(CLI::App& command, CommandLine& line);
};

constexpr Subcommand kSubcommands[] = {
    {"dump", "Show a model as a tree", fill_dump},
    {"optimize", "Simplify a model and write it as OPL", fill_optimize},
    {"run", "Run a model", fill_run},
    {"bench", "Measure how fast a model runs", fill_bench},
    {"ops", "List the ops of ONNX, their versions, and what each becomes", fill_ops},
};

/// `strata help run` as `strata run --help`. Throws: invalid_argument when there is no such
/// command.
std::vector<const char*> help_as_option(int argc, char** argv) {
  std::vector<const char*> given(argv, argv + argc);
  if (argc < 2 || std::string_view(given[1]) != "help") return given;
  given.erase(given.begin() + 1);
  const bool is_known = std::ranges::any_of(kSubcommands, [&](const Subcommand& each) {
    return argc == 2 || std::string_view(given[1]) == each.name;
  });
  require(is_known, ErrorKind::invalid_argument, "there is no command ", in_quotes(given[1]));
  given.push_back("--help");
  return given;
}

}  // namespace

std::optional<int> parse(int argc, char** argv, CommandLine& line) {
  CLI::App app(kDescription, "strata");
  app.set_version_flag("--version", "strata " STRATA_VERSION);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  // Only the subcommand that is asked for makes its options, of which there are many.
  for (const Subcommand& each : kSubcommands) {
    CLI::App* command = app.add_subcommand(each.name, each.description);
    command->preparse_callback([&each, command, &line](std::size_t) { each.fill(*command, line); });
  }
  const std::vector<const char*> given = help_as_option(argc, argv);
  try {
    app.parse(static_cast<int>(given.size()), given.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fail(ErrorKind::invalid_argument, error.what());
  }
  if (line.command) return std::nullopt;
  std::fputs(app.help().c_str(), stderr);
  return kUsage;
}

}  // namespace strata::cli
