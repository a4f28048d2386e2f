#include "number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace strata {
namespace {

/// `text` is `d[.ddd]e±xx`, laid out as number_text describes.
std::string laid_out(std::string_view text) {
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return digits + std::string(whole - digits.size(), '0') + ".0";
  return digits.insert(whole, ".");
}

template <class Float>
std::string special_text(Float number) {
  if (std::isnan(number)) return "nan";
  return std::signbit(number) ? "-inf" : "inf";
}

template <class Float>
std::string wide_text(Float number) {
  if (!std::isfinite(number)) return special_text(number);
  std::array<char, 64> text;
  const Float magnitude = std::fabs(number);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                 std::chars_format::scientific)
                       .ptr;
  return (std::signbit(number) ? "-" : "") + laid_out({text.data(), end});
}

/// As wide_text, with no more digits than the narrow type T needs.
template <class T>
std::string narrow_text(T number) {
  const float wide = number;
  if (!std::isfinite(wide)) return special_text(wide);
  std::array<char, 64> text;
  char* end = text.data();
  for (int digits = 0; digits < 9; ++digits) {
    end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(wide),
                        std::chars_format::scientific, digits)
              .ptr;
    float read = 0.0F;
    std::from_chars(text.data(), end, read);
    if (T(std::copysign(read, wide)).bits == number.bits) break;
  }
  return (std::signbit(wide) ? "-" : "") + laid_out({text.data(), end});
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// What an unsigned decimal that leaves double's range stands for: 0 or infinity.
double out_of_range(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  const std::size_t digit = text.find_first_of("123456789");
  if (e == text.size()) return digit < point ? std::numeric_limits<double>::infinity() : 0.0;
  return text[e + 1] == '-' ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string number_text(double number) { return wide_text(number); }
std::string number_text(float number) { return wide_text(number); }
std::string number_text(f16 number) { return narrow_text(number); }
std::string number_text(bf16 number) { return narrow_text(number); }
std::string number_text(f8e4m3fn number) { return narrow_text(number); }
std::string number_text(f8e4m3fnuz number) { return narrow_text(number); }
std::string number_text(f8e5m2 number) { return narrow_text(number); }
std::string number_text(f8e5m2fnuz number) { return narrow_text(number); }
std::string number_text(f8e8m0 number) { return narrow_text(number); }

std::optional<double> parse_number(std::string_view text) {
  std::string_view digits = trimmed(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits[0] == '-' || digits.find('(') != std::string_view::npos) return {};
  double number = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) return {};
  if (code == std::errc::result_out_of_range) number = out_of_range(digits);
  return negative ? -number : number;
}

}  // namespace strata
