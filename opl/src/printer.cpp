#include "printer.h"

#include "lexer.h"
#include "strata/opl/printer.h"

namespace strata::opl {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::string_view kIndent = "    ";

}  // namespace

std::string print(const Document& document) {
  Printer printer;
  printer.print(document);
  return std::move(printer).take();
}

std::string print(const Expression& expression) {
  Printer printer;
  printer.print(expression);
  return std::move(printer).take();
}

void Printer::print(const Document& document) {
  out_ += "version " + document.version + ";\n\n";
  for (const Extension& extension : document.extensions) print(extension);
  if (!document.extensions.empty()) out_ += '\n';
  for (const Fragment& fragment : document.fragments) {
    print(fragment);
    out_ += '\n';
  }
  print(document.graph);
}

void Printer::print(const Extension& extension) {
  out_ += "extension ";
  name(extension.name);
  if (!extension.text.empty()) out_ += ' ' + extension.text;
  out_ += ";\n";
}

template <class Item, class Outcome>
void Printer::signature(const std::vector<Item>& items, const std::vector<Outcome>& results) {
  const std::size_t start = out_.size();
  const std::size_t line = out_.rfind('\n') + 1;  // npos + 1 is 0, the first line
  out_ += '(';
  list(items);
  out_ += ") -> (";
  list(results);
  out_ += ')';
  if (out_.size() - line + 2 <= kColumns || items.empty()) return;
  out_.resize(start);
  const std::string separator = ",\n" + std::string(kIndent);
  out_ += "(\n";
  out_ += kIndent;
  list(items, separator);
  out_ += "\n) -> (";
  list(results);
  out_ += ')';
}

void Printer::print(const Fragment& fragment) {
  out_ += "fragment ";
  name(fragment.name);
  if (fragment.is_generic) {
    out_ += "<?";
    if (!fragment.generic_default.empty()) out_ += " = " + fragment.generic_default;
    out_ += '>';
  }
  signature(fragment.parameters, fragment.results);
  if (fragment.body) {
    body(*fragment.body);
  } else {
    out_ += ";\n";
  }
}

void Printer::print(const Graph& graph) {
  out_ += "graph ";
  name(graph.name);
  signature(graph.inputs, graph.outputs);
  body(graph.body);
}

void Printer::body(const std::vector<Assignment>& assignments) {
  out_ += " {\n";
  for (const Assignment& assignment : assignments) {
    out_ += kIndent;
    print(assignment.left);
    out_ += " = ";
    print(assignment.right);
    out_ += ";\n";
  }
  out_ += "}\n";
}

void Printer::print(const Port& port) { name(port.name); }

void Printer::print(const Parameter& parameter) {
  name(parameter.name);
  if (parameter.type) {
    out_ += ": ";
    print(*parameter.type);
  }
  if (parameter.default_value) {
    out_ += " = ";
    print(*parameter.default_value);
  }
}

void Printer::print(const Result& result) {
  name(result.name);
  if (result.type) {
    out_ += ": ";
    print(*result.type);
  }
}

void Printer::print(const TypeSpec& spec) {
  switch (spec.kind) {
    case TypeSpec::Kind::single:
      out_ += spec.name;
      return;
    case TypeSpec::Kind::tensor:
      out_ += "tensor<" + spec.name + '>';
      return;
    case TypeSpec::Kind::array:
      print(spec.items.front());
      out_ += "[]";
      return;
    case TypeSpec::Kind::tuple:
      out_ += '(';
      list(spec.items);
      out_ += ')';
      return;
  }
}

void Printer::print(const Target& target) {
  if (target.kind == Target::Kind::name) return name(target.name);
  const bool is_tuple = target.kind == Target::Kind::tuple;
  out_ += is_tuple ? '(' : '[';
  list(target.items);
  out_ += is_tuple ? ')' : ']';
}

void Printer::print(const Argument& argument) {
  if (!argument.name.empty()) {
    name(argument.name);
    out_ += " = ";
  }
  print(argument.value);
}

void Printer::print(const Iteration& iteration) {
  name(iteration.name);
  out_ += " in ";
  print(iteration.values);
}

void Printer::print(const Expression& expression) {
  std::visit([this](const auto& value) { node(value); }, expression.node);
}

void Printer::node(const None&) { out_ += "None"; }

void Printer::node(const Number& number) { out_ += number.text; }
void Printer::node(const String& string) { quote(string.value); }
void Printer::node(const Logical& logical) { out_ += logical.value ? "true" : "false"; }
void Printer::node(const Identifier& identifier) { name(identifier.name); }

void Printer::node(const Array& array) {
  out_ += '[';
  list(array.items);
  out_ += ']';
}

void Printer::node(const Tuple& tuple) {
  out_ += '(';
  list(tuple.items);
  out_ += ')';
}

void Printer::node(const Call& call) {
  name(call.name);
  if (!call.type.empty()) out_ += '<' + call.type + '>';
  out_ += '(';
  list(call.arguments);
  out_ += ')';
}

void Printer::node(const Unary& unary) {
  out_ += '(' + unary.op;
  if (unary.operand.front().is<Number>()) out_ += ' ';  // a sign that touches is part of a literal
  print(unary.operand.front());
  out_ += ')';
}

void Printer::node(const Binary& binary) {
  out_ += '(';
  list(binary.operands, ' ' + binary.op + ' ');
  out_ += ')';
}

void Printer::node(const Conditional& conditional) {
  out_ += '(';
  print(conditional.parts[0]);
  out_ += " if ";
  print(conditional.parts[1]);
  out_ += " else ";
  print(conditional.parts[2]);
  out_ += ')';
}

void Printer::node(const Subscript& subscript) {
  print(subscript.parts[0]);
  out_ += '[';
  print(subscript.parts[1]);
  out_ += ']';
}

void Printer::node(const Range& range) {
  print(range.base.front());
  out_ += '[';
  list(range.begin);
  out_ += ':';
  list(range.end);
  out_ += ']';
}

void Printer::node(const Comprehension& comprehension) {
  out_ += "[for ";
  list(comprehension.iterations);
  if (!comprehension.condition.empty()) {
    out_ += " if ";
    print(comprehension.condition.front());
  }
  out_ += " yield ";
  print(comprehension.value.front());
  out_ += ']';
}

void Printer::name(std::string_view name) {
  if (is_plain_identifier(name)) {
    out_ += name;
  } else {
    out_ += 'i';
    quote(name);
  }
}

/// Only a backslash before the very character is used, for tract reads `\n` as the letter n.
void Printer::quote(std::string_view text) {
  out_ += '"';
  char before = '\0';
  for (const char c : text) {
    const bool opens_template = before == '{' && (c == '{' || c == '%' || c == '#');
    if (c == '\\' || c == '"' || c == '\'' || opens_template) out_ += '\\';
    out_ += c;
    before = c;
  }
  out_ += '"';
}

}  // namespace strata::opl
