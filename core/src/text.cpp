#include "strata/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "escapes.h"

namespace strata {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

template <class Float>
void append_float(std::string& out, Float number) {
  if (std::isnan(number)) {
    out += "nan";
    return;
  }
  const std::size_t start = out.size();
  append_number(out, number);
  if (std::isfinite(number) && out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

/// Whether `append_quoted_byte` appends the byte as it is.
bool is_plain(char c) { return !is_control(c) && c != '"' && c != '\\'; }

void append_quoted_byte(std::string& out, char c) {
  if (c == '"' || c == '\\') out += '\\';
  append_escaped(out, c);
}

/// The longest prefix of at most `limit` bytes that ends between two UTF-8 characters.
std::string_view cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

/// Levenshtein distance, where upper and lower case are the same.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower_case(a[i]) != lower_case(b[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string detail::text_of(const AppendPart* append, std::initializer_list<const void*> parts) {
  std::string out;
  for (const void* part : parts) (*append++)(out, part);
  return out;
}

void append_text(std::string& out, std::string_view text) { out += text; }
void append_text(std::string& out, char c) { out += c; }
void append_text(std::string& out, long long number) { append_number(out, number); }
void append_text(std::string& out, unsigned long long number) { append_number(out, number); }
void append_text(std::string& out, float number) { append_float(out, number); }
void append_text(std::string& out, double number) { append_float(out, number); }

std::string Counted::to_string() const { return cat(count, ' ', thing, count == 1 ? "" : "s"); }

std::string Quoted::to_string() const {
  const std::string_view shown = cut(text, limit);
  std::string out;
  out.reserve(shown.size() + 2);
  out += '"';
  if (std::all_of(shown.begin(), shown.end(), is_plain))
    out += shown;
  else
    for (const char c : shown) append_quoted_byte(out, c);
  out += '"';
  if (shown.size() < text.size()) out += "...";
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 200;  // the distance costs the product of the lengths
  if (name.size() > kLongest) return {};
  const std::size_t allowed = std::max<std::size_t>(2, name.size() / 3);
  std::size_t best = allowed + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer - shorter >= best) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best && 2 * distance <= shorter) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace strata
