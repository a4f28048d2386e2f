#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexer.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// Recursive descent over the tokens of one text; what is left to parse starts at `token()`.
///
/// Keywords are not reserved, as they are not in tract: `if`, `else`, `for`, `in` and `yield` count
/// as such only where an operator or a comprehension may stand, and `graph` or `fragment` only
/// between definitions.
class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name)
      : lexer_(text, file_name), token_(lexer_.next()) {}

  Document document();
  std::vector<Fragment> fragments();
  Expression expression();
  void expect_end();

 private:
  // definitions (parser.cpp)
  Extension extension();
  Fragment fragment();
  Graph graph();
  Parameter parameter();
  Result result();
  Port port();
  TypeSpec type_spec();
  std::string type_name();
  std::vector<Assignment> body();
  Assignment assignment();
  Target target();
  Target target_item();

  // expressions (expressions.cpp); each leaves the height of what it returns in height_
  Expression conditional();
  Expression infix(std::size_t level);
  Expression unary();
  Expression postfix();
  Expression subscript(Expression base);
  Expression primary();
  Expression number();
  Expression word();
  Expression call(std::string name, Position position);
  Expression parenthesised();
  Expression bracketed();
  Expression comprehension(Position position);
  Argument argument();
  bool starts_call() const;
  bool starts_number() const;
  bool starts_comprehension() const;

  // tokens (parser.cpp)
  const Token& token() const { return token_; }
  Token peek() const { return Lexer(lexer_).next(); }
  Token take();
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  void expect_word(std::string_view word);
  std::string expect_name(std::string_view what);
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// Items between `open` and `close`, separated by commas; none is allowed.
  template <class Read>
  auto list(std::string_view open, std::string_view close, Read read) {
    std::vector<decltype(read())> items;
    expect(open);
    while (!token_.is_symbol(close)) {
      if (!items.empty()) {
        if (!token_.is_symbol(",")) fail_expected(comma_or(close));
        take();
      }
      items.push_back(read());
    }
    take();
    return items;
  }
  static std::string comma_or(std::string_view close);

  /// Wraps a node one higher than its highest child. Throws: limit above kMaxDepth.
  template <class Node>
  Expression wrap(Node node, Position position, int child_height) {
    check_depth(child_height + 1, position);
    height_ = child_height + 1;
    return {std::move(node), position};
  }
  void check_depth(int depth, Position position) const;

  /// Counts the recursion of the parser itself, which text can drive deeper than its tree.
  class Nesting {
   public:
    Nesting(Parser& parser) : parser_(parser) {
      parser_.check_depth(++parser_.depth_, parser_.token_.position);
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
  int height_ = 0;
};

}  // namespace strata::opl
