#include "words.h"

#include <charconv>

#include "strata/core/error.h"

namespace strata::cli {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view wanted, std::string_view given) {
  fail(ErrorKind::invalid_argument, option, ": ", wanted, " wanted, ", in_quotes(given), " given");
}

}  // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   std::string_view option) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    refuse(option, "NAME=VALUE", text);
  return {text.substr(0, at), text.substr(at + 1)};
}

std::int64_t whole_number(std::string_view text, std::string_view option) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    refuse(option, "a whole number", text);
  return value;
}

std::int64_t byte_count(std::string_view text, std::string_view option) {
  constexpr std::string_view kUnits = "kMGT";
  const char last = text.empty() ? ' ' : text.back();
  const std::size_t unit = kUnits.find(last == 'K' ? 'k' : last);
  const int shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  const std::int64_t value = whole_number(shift ? text.substr(0, text.size() - 1) : text, option);
  if (value > (INT64_MAX >> shift)) refuse(option, "less than 2^63 bytes", text);
  return value << shift;
}

std::vector<std::int64_t> size_list(std::string_view text, std::string_view option) {
  std::vector<std::int64_t> out;
  for (;;) {
    const std::size_t comma = text.find(',');
    out.push_back(whole_number(text.substr(0, comma), option));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace strata::cli
