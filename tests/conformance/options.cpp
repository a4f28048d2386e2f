#include "options.h"

#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>

#include "strata/core/error.h"

namespace strata::conformance {

const char kUsage[] = R"(usage: strata_conformance [FOLDER...] [options]

Runs ONNX backend cases in five modes and compares the outputs. A FOLDER holds cases at any depth: folders with a
model.onnx and test_data_set_*, or light_*.onnx files. Without one: the folder named by STRATA_ONNX_DATA, else the
cases of Debian's libonnx-testdata. STRATA_ISA=sse2, avx2, avx512 or amx in the environment chooses the kernels.

  --expected FILE   failures that are known; `none` for none (default: the list that belongs to the data)
  --filter TEXT     only cases whose group/name contains TEXT; may be repeated
  --mode MODE       only this mode: typed, declutter, optimise, opl or constant; may be repeated
  --jobs N          cases at a time (default: the number of cores)
  --threads N       that share the work of a case (default 1)
  --timeout S       seconds for one case in one mode (default 60)
  --list            print the cases and stop
  --ops             print the table by op as well
  --verbose         print every failure, listed ones too
  --report FILE     write the tables as a Markdown page
  --failures FILE   write every failure as `case mode message`, one a line
  --strict-failures FILE  likewise of cases that pass, but not strictly (judged where all modes are run)

exit code: 0 all as expected, 1 something is not, 2 usage
)";

namespace {

constexpr char kDebianData[] = "/usr/share/libonnx-testdata/data";

std::size_t number(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value > 0,
          ErrorKind::invalid_argument, in_quotes(text), " is no number above 0");
  return value;
}

Mode mode_named(const std::string& name) {
  const auto mode = parse_mode(name);
  require(mode.has_value(), ErrorKind::invalid_argument, "there is no mode ", in_quotes(name));
  return *mode;
}

void add_default_data(Options& options) {
  const std::filesystem::path lists = STRATA_CONFORMANCE_LISTS;
  if (!options.folders.empty()) {
    options.data = "the folders named on the command line";
    return;
  }
  const char* named = std::getenv("STRATA_ONNX_DATA");
  const bool has_name = named && *named;
  options.folders = {has_name ? named : kDebianData};
  options.data = has_name ? "the current ONNX backend cases"
                          : "the ONNX 1.12 backend cases of Debian's libonnx-testdata";
  if (options.expected.empty())
    options.expected =
        lists / (has_name ? "expected_failures.txt" : "expected_failures_debian.txt");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options out;
  out.jobs = std::max(1u, std::thread::hardware_concurrency());
  const std::map<std::string, std::function<void(const std::string&)>> with_value{
      {"--expected", [&](const std::string& v) { out.expected = v; }},
      {"--filter", [&](const std::string& v) { out.filters.push_back(v); }},
      {"--mode", [&](const std::string& v) { out.modes.push_back(mode_named(v)); }},
      {"--jobs", [&](const std::string& v) { out.jobs = number(v); }},
      {"--threads", [&](const std::string& v) { out.threads = number(v); }},
      {"--timeout", [&](const std::string& v) { out.timeout = std::chrono::seconds(number(v)); }},
      {"--report", [&](const std::string& v) { out.report = v; }},
      {"--failures", [&](const std::string& v) { out.failures = v; }},
      {"--strict-failures", [&](const std::string& v) { out.strict_failures = v; }},
  };
  const std::map<std::string, bool*> flags{{"--list", &out.list},
                                           {"--ops", &out.ops},
                                           {"--verbose", &out.verbose},
                                           {"--help", &out.help}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (const auto flag = flags.find(word); flag != flags.end()) {
      *flag->second = true;
    } else if (const auto option = with_value.find(word); option != with_value.end()) {
      require(i + 1 < argc, ErrorKind::invalid_argument, word, " wants a value");
      option->second(argv[++i]);
    } else {
      require(!word.starts_with("--"), ErrorKind::invalid_argument, "there is no option ",
              in_quotes(word));
      out.folders.emplace_back(word);
    }
  }
  if (out.modes.empty()) out.modes.assign(std::begin(kModes), std::end(kModes));
  add_default_data(out);
  if (out.expected == "none") out.expected.clear();
  return out;
}

}  // namespace strata::conformance
