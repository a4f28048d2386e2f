#include "deadline.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <string_view>

#include "commands.h"
#include "strata/core/replacement.h"

namespace strata::cli {
namespace {

constexpr double kMoment = 0.25;  ///< seconds in which a run may end by itself
constexpr double kLongest = 1e8;  ///< seconds; every system's timer accepts this

void end_by_timeout(int) {
  constexpr std::string_view text = "error: the time given by --timeout ran out\n";
  remove_unfinished_files();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kTimeout);
}

}  // namespace

void end_after(double seconds) {
  std::signal(SIGALRM, end_by_timeout);
  const double time = std::min(seconds + kMoment, kLongest);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(time);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (time - std::floor(time)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace strata::cli
