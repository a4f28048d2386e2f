#include "terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "strata/core/error.h"

namespace strata::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

[[noreturn]] void fail_to_write() {
  fail(ErrorKind::file, "cannot write to stdout: ", std::string_view(std::strerror(errno)));
}

}  // namespace

Style Style::of_stdout() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = !terminal || std::string_view(terminal) == "dumb";
  return Style(::isatty(STDOUT_FILENO) && !is_set("NO_COLOR") && !dumb);
}

std::string printable(std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return std::any_of(text.begin(), text.end(), is_control) ? in_quotes(text, text.size())
                                                           : std::string(text);
}

std::string Style::paint(std::string_view code, std::string_view text) const {
  const std::string shown = printable(text);
  return coloured_ ? cat("\x1b[", code, "m", shown, "\x1b[0m") : shown;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_to_write();
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail_to_write();
}

std::string three_digits(double number) {
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string short_number(double number) {
  constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) number /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, prefix == 0 || number >= 99.5 ? "%.0f%s" : "%.3g%s", number,
                kPrefixes[prefix]);
  return text;
}

}  // namespace strata::cli
