#include "lexer.h"

#include <algorithm>
#include <array>

#include "strata/core/text.h"

namespace strata::opl {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// Bytes of other alphabets are let in: tract prints such names without quotes.
bool starts_word(char c) { return is_ascii_letter(c) || (static_cast<unsigned char>(c) & 0x80); }
bool is_quote(char c) { return c == '"' || c == '\''; }
constexpr char kComment = '#';

constexpr std::array<std::string_view, 7> kLongSymbols = {"->", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kShortSymbols = "()[]{}<>=,;:+-*/^!?";

/// What a backslash and `c` stand for: control characters as tract prints them, else `c` itself.
char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '0':
      return '\0';
    default:
      return c;
  }
}

std::string unquoted(std::string_view quoted) {
  std::string value;
  const std::string_view body = quoted.substr(1, quoted.size() - 2);
  for (std::size_t i = 0; i < body.size(); ++i) {
    value += body[i] == '\\' ? unescaped(body[++i]) : body[i];
  }
  return value;
}

}  // namespace

std::string Token::value() const {
  if (kind == Kind::quoted_word) return unquoted(text.substr(1));
  if (kind == Kind::string) return unquoted(text);
  return std::string(text);
}

void Lexer::fail_at(Position position, std::string_view message) const {
  if (position.line == 0) fail(ErrorKind::invalid_model, file_name_, ": ", message);
  fail(ErrorKind::invalid_model, file_name_, ":", position.line, ":", position.column, ": ",
       message);
}

void Lexer::advance() {
  const char c = text_[offset_++];
  if (c == '\n') {
    ++position_.line;
    position_.column = 1;
  } else if ((static_cast<unsigned char>(peek()) & 0xC0) != 0x80) {
    ++position_.column;  // the bytes that follow within a UTF-8 character are not counted
  }
}

void Lexer::skip_blanks() {
  while (!at_end()) {
    if (peek() == kComment) {
      while (!at_end() && peek() != '\n') advance();
    } else if (is_blank(peek())) {
      advance();
    } else {
      return;
    }
  }
}

void Lexer::skip_string() {
  const Position start = position_;
  const char quote = peek();
  advance();
  while (!at_end() && peek() != quote) {
    if (peek() == '\\') advance();
    if (!at_end()) advance();
  }
  if (at_end()) fail_at(start, "a string starts here and does not end");
  advance();
}

void Lexer::skip_number() {
  const auto skip_digits = [this] {
    while (is_digit(peek())) advance();
  };
  skip_digits();
  if (peek() == '.') {
    advance();
    skip_digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    advance();
    if (peek() == '-' || peek() == '+') advance();
    if (!is_digit(peek())) fail_at(position_, "expected the digits of an exponent");
    skip_digits();
  }
  if (starts_word(peek()) || peek() == '.') fail_at(position_, "expected the end of a number");
}

void Lexer::skip_symbol() {
  const std::string_view pair = text_.substr(offset_, 2);
  if (std::find(kLongSymbols.begin(), kLongSymbols.end(), pair) != kLongSymbols.end()) {
    advance();
  } else if (kShortSymbols.find(peek()) == std::string_view::npos) {
    fail_at(position_, cat("unexpected character ", in_quotes(pair.substr(0, 1))));
  }
  advance();
}

Token Lexer::next() {
  skip_blanks();
  Token token{Token::Kind::end, {}, offset_, position_};
  if (at_end()) return token;
  if (is_digit(peek())) {
    token.kind = Token::Kind::number;
    skip_number();
  } else if (is_quote(peek())) {
    token.kind = Token::Kind::string;
    skip_string();
  } else if (peek() == 'i' && is_quote(peek(1))) {
    token.kind = Token::Kind::quoted_word;
    advance();
    skip_string();
  } else if (starts_word(peek())) {
    token.kind = Token::Kind::word;
    while (starts_word(peek()) || is_digit(peek())) advance();
  } else {
    token.kind = Token::Kind::symbol;
    skip_symbol();
  }
  token.text = text_.substr(token.offset, offset_ - token.offset);
  return token;
}

std::string Lexer::raw_until_semicolon(const Token& from) {
  offset_ = from.offset;
  position_ = from.position;
  std::string raw;
  bool blank_before = false;
  while (!at_end() && peek() != ';') {
    if (is_blank(peek())) {
      blank_before = true;
      advance();
      continue;
    }
    if (blank_before && !raw.empty()) raw += ' ';
    blank_before = false;
    const std::size_t start = offset_;
    if (is_quote(peek())) {
      skip_string();
    } else {
      advance();
    }
    raw += text_.substr(start, offset_ - start);
  }
  return raw;
}

bool begins_with(std::string_view text, std::string_view word) {
  text = text.substr(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_blank) -
                                              text.begin()));
  const auto ends_word = [](char c) { return is_blank(c) || c == kComment; };
  if (text.starts_with(kComment)) return true;
  return text.starts_with(word) && text.size() > word.size() && ends_word(text[word.size()]);
}

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the file";
  if (token.text.front() == '"') return in_quotes(token.value(), 40);
  const std::string shown = in_quotes(token.text, 40);
  return cat("'", std::string_view(shown).substr(1, shown.size() - 2), "'");
}

bool is_plain_identifier(std::string_view name) {
  constexpr std::array<std::string_view, 8> kReserved = {"None", "else", "for", "if",
                                                         "in",   "NaN",  "nan", "yield"};
  if (name.empty() || !is_ascii_letter(name.front())) return false;
  for (const std::string_view literal : {"true", "false", "inf"}) {
    if (name.starts_with(literal)) return false;
  }
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_ascii_letter(c) || is_digit(c); });
}

}  // namespace strata::opl
