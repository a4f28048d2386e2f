#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "strata/opl/ast.h"

namespace strata::opl {

/// Appends the canonical text of trees to one string.
class Printer {
 public:
  void print(const Document& document);
  void print(const Expression& expression);
  std::string take() && { return std::move(out_); }

 private:
  void print(const Extension& extension);
  void print(const Fragment& fragment);
  void print(const Graph& graph);
  void print(const Parameter& parameter);
  void print(const Result& result);
  void print(const Port& port);
  void print(const TypeSpec& spec);
  void print(const Target& target);
  void print(const Argument& argument);
  void print(const Iteration& iteration);
  void body(const std::vector<Assignment>& assignments);

  void node(const None&);
  void node(const Number& number);
  void node(const String& string);
  void node(const Logical& logical);
  void node(const Identifier& identifier);
  void node(const Array& array);
  void node(const Tuple& tuple);
  void node(const Call& call);
  void node(const Unary& unary);
  void node(const Binary& binary);
  void node(const Conditional& conditional);
  void node(const Subscript& subscript);
  void node(const Range& range);
  void node(const Comprehension& comprehension);

  void name(std::string_view name);
  void quote(std::string_view text);

  template <class T>
  void list(const std::vector<T>& items, std::string_view separator = ", ") {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i) out_ += separator;
      print(items[i]);
    }
  }
  /// `(items) -> (results)` on one line, or one item a line where that would pass the column limit.
  template <class Item, class Outcome>
  void signature(const std::vector<Item>& items, const std::vector<Outcome>& results);

  std::string out_;
};

}  // namespace strata::opl
