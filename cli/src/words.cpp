#include "words.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "entries.h"
#include "strata/core/error.h"

namespace strata::cli {
namespace {

/// Which of the inputs `word` names; their number where it names none.
std::size_t input_of(const std::string& word, const std::vector<std::string>& inputs) {
  std::size_t found = inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_longest = found == inputs.size() || inputs[i].size() > inputs[found].size();
    if (is_longest && word.starts_with(inputs[i] + '=')) found = i;
  }
  return found;
}

/// A whole number from 0 to 2^63-1; nothing where `text` is none.
std::optional<std::int64_t> parsed(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_number ? std::optional(value) : std::nullopt;
}

/// A finite number; NaN where `text` is none.
double finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? value : NAN;
}

}  // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   std::string_view option) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    fail_unwanted(option, "NAME=VALUE", text);
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::optional<std::string>> values_of_inputs(const std::vector<std::string>& words,
                                                         const std::vector<std::string>& inputs,
                                                         std::string_view option) {
  std::vector<std::optional<std::string>> out(inputs.size());
  for (const std::string& word : words) {
    const std::size_t i = input_of(word, inputs);
    const std::size_t end = i < inputs.size() ? inputs[i].size() : word.find('=');
    if (end == std::string::npos || end == 0 || end + 1 == word.size())
      fail_unwanted(option, "NAME=VALUE", word);
    if (i == inputs.size()) fail_unknown_name("input", word.substr(0, end), inputs);
    if (out[i]) fail_repeated(option, inputs[i]);
    out[i] = word.substr(end + 1);
  }
  return out;
}

void fail_unwanted(std::string_view option, std::string_view wanted, std::string_view given) {
  fail(ErrorKind::invalid_argument, option, ": ", wanted, " wanted, ", in_quotes(given), " given");
}

void fail_repeated(std::string_view option, std::string_view name) {
  fail(ErrorKind::invalid_argument, option, ": ", in_quotes(name), " is given twice");
}

std::int64_t whole_number(std::string_view text, std::string_view option, std::string_view wanted) {
  if (const auto value = parsed(text)) return *value;
  const bool is_large = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  fail_unwanted(option, is_large ? "a whole number from 0 to 2^63-1" : wanted, text);
}

std::int64_t count_up_to(std::int64_t most, std::string_view text, std::string_view option) {
  const std::string wanted = cat("a number from 1 to ", most);
  const std::int64_t value = whole_number(text, option, wanted);
  if (value < 1 || value > most) fail_unwanted(option, wanted, text);
  return value;
}

double positive_number(std::string_view text, std::string_view option) {
  const double value = finite_number(text);
  if (!(value > 0)) fail_unwanted(option, "a number above 0", text);
  return value;
}

double number_from_0(std::string_view text, std::string_view option) {
  const double value = finite_number(text);
  if (!(value >= 0)) fail_unwanted(option, "a number of at least 0", text);
  return value;
}

std::int64_t byte_count(std::string_view text, std::string_view option) {
  constexpr std::string_view kUnits = "kMGT";
  const char last = text.empty() ? ' ' : text.back();
  const std::size_t unit = kUnits.find(last == 'K' ? 'k' : last);
  const int shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  const std::string_view digits = shift ? text.substr(0, text.size() - 1) : text;
  const auto value = parsed(digits);
  if (!value) fail_unwanted(option, "a number of bytes, such as 512M,", text);
  if (*value > (INT64_MAX >> shift)) fail_unwanted(option, "less than 2^63 bytes", text);
  return *value << shift;
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
