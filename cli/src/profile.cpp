#include "profile.h"

#include <chrono>

#include "files.h"
#include "json.h"
#include "profile_text.h"
#include "strata/core/replacement.h"
#include "strata/core/text.h"
#include "terminal.h"

namespace strata::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmups = 3;
constexpr std::chrono::milliseconds kDuration{300};

void write_text(const std::filesystem::path& path, const std::string& text) {
  const Replacement file(path);
  file.write(text);
  file.finish();
}

}  // namespace

void check_trace(const std::filesystem::path& trace) {
  if (trace.empty()) return;
  require(trace.extension() == ".json", ErrorKind::invalid_argument, in_quotes(trace.string()),
          " is no .json for --profile to write; put --profile after MODEL when no file is meant");
  check_writable(trace);
}

void profile(const std::shared_ptr<const Plan>& plan, Values inputs, SessionOptions options,
             const std::filesystem::path& trace) {
  Profiler profiler;
  options.observer = &profiler;
  Session session(plan, options);
  const auto run = [&] {
    profiler.begin_run();
    (void)session.run(inputs);
    profiler.end_run();
  };
  for (int i = 0; i < kWarmups; ++i) run();
  profiler.clear();
  const Clock::time_point start = Clock::now();
  do run();
  while (Clock::now() - start < kDuration);
  print('\n' + profile_text(profiler.runs(), options.threads, measure_peak(options.threads),
                            Style::of_stdout()));
  if (!trace.empty()) write_text(trace, trace_json(profiler.events()));
}

}  // namespace strata::cli
