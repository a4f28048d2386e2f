#include "strata/opl/ast.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "strata/core/error.h"
#include "strata/core/text.h"

namespace strata::opl {
namespace {

bool is_word(std::string_view text) {
  return text.ends_with("inf") || text.ends_with("NaN") || text.ends_with("nan");
}

template <class I>
std::optional<I> parse_integer(std::string_view text) {
  I value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether a decimal out of the range of its type is too large rather than too small.
///
/// Decided by its exponent plus the digits before the dot, which is far from zero once the range is
/// left.
bool overflows(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
  long long magnitude = static_cast<long long>(dot) - static_cast<long long>(first);
  if (e != std::string_view::npos) {
    const std::string_view exponent = text.substr(e + 1);
    const auto parsed = parse_integer<int>(exponent);
    if (!parsed) return !exponent.starts_with('-');
    magnitude += *parsed;
  }
  return magnitude > 0;
}

template <class F>
F parse_float(std::string_view text) {
  F value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  const F magnitude = overflows(text) ? std::numeric_limits<F>::infinity() : F{0};
  return text.starts_with('-') ? -magnitude : magnitude;
}

template <class F>
std::string print_float(F value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (std::isnan(value)) return std::signbit(value) ? "-NaN" : "NaN";
  std::string text;
  append_text(text, value);
  std::erase(text, '+');  // tract reads 1e5 and 1e-5, but not 1e+5
  return text;
}

}  // namespace

bool Number::is_integer() const {
  return text.find_first_of(".eE") == std::string::npos && !is_word(text);
}

std::optional<std::int64_t> Number::as_int64() const { return parse_integer<std::int64_t>(text); }
std::optional<std::uint64_t> Number::as_uint64() const {
  return parse_integer<std::uint64_t>(text);
}
double Number::as_double() const { return parse_float<double>(text); }
float Number::as_float() const { return parse_float<float>(text); }

std::string detail::integer_text(long long value) { return cat(value); }
std::string detail::integer_text(unsigned long long value) { return cat(value); }
std::string detail::float_text(float value) { return print_float(value); }
std::string detail::float_text(double value) { return print_float(value); }

Expression tuple(std::vector<Expression> items) {
  require(items.size() != 1, ErrorKind::invalid_argument, "a tuple of one item has no text form");
  return {Tuple{std::move(items)}, {}};
}

Expression binary(Expression left, std::string op, Expression right) {
  std::vector<Expression> operands;
  operands.push_back(std::move(left));
  operands.push_back(std::move(right));
  return {Binary{std::move(op), std::move(operands)}, {}};
}

Assignment assign(std::string name, Expression right) {
  return {Target{Target::Kind::name, std::move(name), {}, {}}, std::move(right)};
}

Assignment assign(const std::vector<std::string>& names, Expression right) {
  if (names.size() == 1) return assign(names.front(), std::move(right));
  Target left{Target::Kind::tuple, "", {}, {}};
  for (const std::string& name : names) left.items.push_back({Target::Kind::name, name, {}, {}});
  return {std::move(left), std::move(right)};
}

}  // namespace strata::opl
