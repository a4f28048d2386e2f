#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr int kMaxNesting = 100;

/// sum = product (('+'|'-') product)*; product = unary (('*'|'/'|'%') unary)*; unary = ('-'|'+')
/// unary | primary
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Dim whole() {
    Dim result = sum();
    if (next() != '\0' || at_ < text_.size()) wrong("an operator");
    return result;
  }

 private:
  /// The next byte that is no blank; 0 at the end.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void wrong(std::string_view expected) const {
    fail(ErrorKind::invalid_argument, "dimension ", in_quotes(text_), ", column ", at_ + 1,
         ": expected ", expected);
  }
  void expect(char c) {
    if (!take(c)) wrong(cat("'", c, "'"));
  }

  Dim sum() {
    if (++depth_ > kMaxNesting) wrong("less nesting");
    Dim result = product();
    while (true) {
      if (take('+')) {
        result += product();
      } else if (take('-')) {
        result -= product();
      } else {
        break;
      }
    }
    --depth_;
    return result;
  }

  Dim product() {
    Dim result = unary();
    while (true) {
      if (take('*')) {
        result *= unary();
      } else if (take('/')) {
        result = floor_div(result, unary());
      } else if (take('%')) {
        result = mod(result, unary());
      } else {
        return result;
      }
    }
  }

  Dim unary() {
    bool negative = false;
    while (true) {
      if (take('-')) {
        negative = !negative;
      } else if (!take('+')) {
        break;
      }
    }
    if (std::isdigit(static_cast<unsigned char>(next()))) return number(negative ? -1 : 1);
    return negative ? -primary() : primary();
  }

  /// The sign belongs to the number, so that the least int64 can be read.
  Dim number(std::int64_t sign) {
    const std::size_t start = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, sign * (text_[at_] - '0'), &value)) {
        at_ = start;
        wrong("a number of 64 bits");
      }
    }
    return value;
  }

  Dim primary() {
    if (take('(')) {
      Dim inner = sum();
      expect(')');
      return inner;
    }
    if (next() == '"') return Dim::symbol(quoted_name());
    if (!starts_name(next())) wrong("a number, a name or '('");
    const std::size_t start = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    return next() == '(' ? call(name, start) : Dim::symbol(name);
  }

  std::string quoted_name() {
    const std::size_t start = at_++;
    std::string name;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      name += c == '\\' ? escaped() : c;
    }
    if (at_ == text_.size()) wrong("'\"'");
    ++at_;
    if (name.empty()) {
      at_ = start;
      wrong("a name");
    }
    return name;
  }

  char escaped() {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (c == '"' || c == '\\') return c;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c != 'x') wrong("an escape");
    int value = 0;
    for (int i = 0; i < 2; ++i, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto digit = at_ < text_.size() ? kDigits.find(text_[at_]) : std::string_view::npos;
      if (digit == std::string_view::npos) wrong("a hexadecimal digit");
      value = 16 * value + static_cast<int>(digit);
    }
    return static_cast<char>(value);
  }

  Dim call(std::string_view function, std::size_t start) {
    expect('(');
    std::vector<Dim> operands{sum()};
    while (take(',')) operands.push_back(sum());
    expect(')');
    if (function == "max") return max_of(std::move(operands));
    if (function == "min") {
      for (Dim& operand : operands) operand = -operand;
      return -max_of(std::move(operands));
    }
    if (operands.size() == 2) {
      if (function == "floor_div") return floor_div(operands[0], operands[1]);
      if (function == "ceil_div") return ceil_div(operands[0], operands[1]);
      if (function == "mod") return mod(operands[0], operands[1]);
    }
    at_ = start;
    wrong("floor_div, ceil_div or mod of two, or min or max");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Dim Dim::parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace strata
