#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <numeric>

#include "commands.h"
#include "json.h"
#include "listing.h"
#include "strata/core/session.h"
#include "terminal.h"

namespace strata::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmups = 3;
constexpr std::size_t kMostRuns = 200'000;  ///< the times of more would show in the peak of memory
constexpr int kMostCreations = 10;
constexpr double kCreationSeconds = 0.2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::shared_ptr<const Plan> make_plan(const BenchOptions& options) {
  return Plan::build(load_typed(options.model, options.load), options.load.limits);
}

Session make_session(std::shared_ptr<const Plan> plan, const BenchOptions& options) {
  return Session(std::move(plan), options.session);
}

/// The bytes after `label` in /proc/self/status; zero where there is no such file.
std::size_t process_bytes(std::string_view label) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(label)) return std::stoull(line.substr(label.size())) << 10;
  return 0;
}

/// Throws: cancelled when the bench, which began at `start`, takes longer than it may.
void check_time(const Limits& limits, Clock::time_point start) {
  require(!limits.time || Clock::now() - start <= *limits.time, ErrorKind::cancelled,
          "the bench takes longer than ", [&] {
            return cat(std::chrono::duration<double>(*limits.time).count(), " s, the limit time");
          });
}

std::vector<double> run_times(Session& session, const ValueList& inputs,
                              const BenchOptions& options, Clock::time_point begin) {
  for (int i = 0; i < kWarmups; ++i) (void)session.run(inputs);
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point before = Clock::now();
    (void)session.run(inputs);
    times.push_back(seconds_since(before));
    check_time(options.load.limits, begin);
  } while (seconds_since(start) < options.seconds && times.size() < kMostRuns);
  return times;
}

void add_latency(std::vector<double> times, BenchResult& out) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  out.runs = times.size();
  out.minimum = times.front();
  out.median = times.size() % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  out.mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// The least time to make a session from the model's file, over some tries; what it takes to free
/// one does not count.
double creation_again(const BenchOptions& options) {
  double best = std::numeric_limits<double>::infinity();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kMostCreations && (i == 0 || seconds_since(start) < kCreationSeconds); ++i) {
    const Clock::time_point before = Clock::now();
    const Session made = make_session(make_plan(options), options);
    best = std::min(best, seconds_since(before));
  }
  return best;
}

BenchCounts counts_at(const BenchOptions& options, Stage stage) {
  LoadOptions load = options.load;
  load.stage = stage;
  const Summary summary = summarise(load_typed(options.model, load));
  const auto count = [&](const char* op) {
    const auto at = summary.ops.find(op);
    return at == summary.ops.end() ? 0 : at->second;
  };
  return {.nodes = summary.nodes, .loops = count("Loop"), .ifs = count("If")};
}

/// What is measured with one session. The peak of memory comes before a second one is made.
BenchResult measured(const BenchOptions& options) {
  BenchResult out;
  const Clock::time_point start = Clock::now();
  const auto plan = make_plan(options);
  Session session = make_session(plan, options);
  out.first_creation = seconds_since(start);
  InputSources sources = options.inputs;
  if (!sources.seed) sources.seed = 1;
  const ValueList inputs =
      doing("giving inputs to", options.model, [&] { return read_inputs(plan->model(), sources); });
  doing("running", options.model, [&] {
    add_latency(run_times(session, inputs, options, start), out);
    if (options.allocations_in)
      out.allocations = options.allocations_in([&] { (void)session.run(inputs); });
  });
  out.arena_bytes = session.arena_bytes();
  out.peak_bytes = process_bytes("VmHWM:");
  return out;
}

std::string counts_text(const BenchCounts& counts) {
  return cat(counted(counts.nodes, "node"), ", ", counted(counts.loops, "loop"), ", ",
             counted(counts.ifs, "if"));
}

std::string time_text(double seconds) {
  const double microseconds = seconds * 1e6;
  if (microseconds >= 999.5) return cat(three_digits(microseconds / 1e3), " ms");
  return cat(three_digits(microseconds), " µs");
}

std::string result_text(const BenchResult& result) {
  std::string out =
      cat("latency   ", time_text(result.median), " median, ", time_text(result.minimum),
          " minimum, ", time_text(result.mean), " mean, over ", counted(result.runs, "run"), " on ",
          counted(result.threads, "thread"), '\n');
  out += cat("session   ", time_text(result.creation), " to make, ",
             time_text(result.first_creation), " the first time\n");
  out += cat("model     ", counts_text(result.typed), "; decluttered ",
             counts_text(result.decluttered), '\n');
  out += cat("memory    ", short_number(static_cast<double>(result.arena_bytes)), "B arena, ",
             short_number(static_cast<double>(result.peak_bytes)), "B peak of the process\n");
  if (result.allocations)
    out += cat("heap      ", counted(*result.allocations, "allocation"), " in a run\n");
  return out;
}

}  // namespace

int bench(const BenchOptions& options) {
  const MemoryScope memory(options.load.limits);
  BenchResult result = measured(options);
  result.threads = options.session.threads;
  result.creation = creation_again(options);
  result.typed = counts_at(options, Stage::typed);
  result.decluttered = counts_at(options, Stage::declutter);
  print(options.json ? bench_json(result, options.model.string()) : result_text(result));
  return kOk;
}

}  // namespace strata::cli
