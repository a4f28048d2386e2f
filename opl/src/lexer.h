#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strata/core/error.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// A view of one token of the text.
struct Token {
  enum class Kind {
    word,  ///< a plain identifier or a keyword: NNEF's keywords are words that stand in certain
           ///< places
    quoted_word,  ///< i"…", never a keyword
    number,       ///< digits, with an optional fraction and exponent; never a sign
    string,       ///< '…' or "…"
    symbol,       ///< an operator or a bracket
    end,          ///< the end of the text
  };

  Kind kind = Kind::end;
  std::string_view text;   ///< as it stands in the document, quotes included
  std::size_t offset = 0;  ///< of the first byte
  Position position;

  bool is_symbol(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  bool is_name() const { return kind == Kind::word || kind == Kind::quoted_word; }
  /// The name or the string that it stands for, without quotes and escapes.
  std::string value() const;
};

/// Cuts a document into tokens, one at a time; a copy is a cheap way to look ahead.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

  /// The next token, past blanks and comments. Throws: invalid_model at bytes that start no token.
  Token next();
  /// The text from `from` to the next semicolon outside quotes, runs of blanks made one space;
  /// stops before it.
  std::string raw_until_semicolon(const Token& from);

  [[noreturn]] void fail_at(Position position, std::string_view message) const;

 private:
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  bool at_end() const { return offset_ >= text_.size(); }
  void advance();
  void skip_blanks();
  void skip_string();
  void skip_number();
  void skip_symbol();

  std::string_view text_;
  std::string_view file_name_;
  std::size_t offset_ = 0;
  Position position_{1, 1};
};

/// Whether the first of `text` but blanks is a comment, or `word` and something behind it.
bool begins_with(std::string_view text, std::string_view word);

/// How a token is named in a message: `'x'`, or `the end of the file`.
std::string describe(const Token& token);

/// Whether `name` may be printed as it is: tract takes the start of `true_x` or `infx` for a
/// literal.
bool is_plain_identifier(std::string_view name);

}  // namespace strata::opl
