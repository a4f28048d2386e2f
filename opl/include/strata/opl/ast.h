#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The syntax tree of an OPL document, which is an NNEF document with tract's additions.
///
///   version 1.0;
///   extension tract_registry tract_core;
///   extension tract_symbol S;
///   fragment body(x: tensor<scalar>, n: integer = 1) -> (y: tensor<scalar>) { y = add(x, x); }
///   graph network(x) -> (y) {
///       x = tract_core_external(shape = [S, 4], datum_type = "f32");
///       (v, i) = tract_core_topk(x, 2, axis = 1, largest = true);
///       ...
///   }
///
/// There is exactly one graph; bodies of loops and branches are fragments. The tree is syntax only:
/// names are not resolved and nothing is evaluated. A tree from the parser holds no node
/// deeper than kMaxDepth.
namespace strata::opl {

/// Where a piece of text starts, both counted from 1; line 0 means "made by a program".
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< in characters, not bytes
};

struct Expression;
struct Argument;
struct Iteration;

/// A numeric literal, kept as its text so that no digit is lost.
///
/// It is an integer unless the text has a dot or an exponent, as tract decides it. `inf` and `-inf`
/// are numbers, as in tract; so is `NaN`, which tract writes but does not read back.
struct Number {
  std::string text;

  bool is_integer() const;
  std::optional<std::int64_t> as_int64()
      const;  ///< none if the text is not an integer or does not fit
  std::optional<std::uint64_t> as_uint64() const;  ///< the same for unsigned
  double as_double() const;                        ///< correctly rounded; also of an integer
  float as_float() const;                          ///< correctly rounded once, not through double
  bool operator==(const Number&) const = default;
};

struct String {
  std::string value;  ///< unescaped
};
struct Logical {
  bool value;
};
/// The word `None`: an argument that is left out.
struct None {};
/// A name, of any bytes: one that is not a plain identifier is written i"like this".
struct Identifier {
  std::string name;
};
struct Array {
  std::vector<Expression> items;
};
/// Never has just one item: parentheses around one expression only group.
struct Tuple {
  std::vector<Expression> items;
};
/// `name<type>(positional, name = value)`
struct Call {
  std::string name;
  std::string type;  ///< the text between < and >, or empty
  std::vector<Argument> arguments;
};
/// `op operand`, where op is + - or !
struct Unary {
  std::string op;
  std::vector<Expression> operand;  ///< exactly one
};
/// `left op right`, where op is one of + - * / ^ < <= > >= == != && || in
struct Binary {
  std::string op;
  std::vector<Expression> operands;  ///< exactly two
};
/// `value if condition else otherwise`
struct Conditional {
  std::vector<Expression> parts;  ///< exactly three: value, condition, otherwise
};
/// `base[at]`
struct Subscript {
  std::vector<Expression> parts;  ///< exactly two: base, at
};
/// `base[begin:end]`, where either bound may be missing
struct Range {
  std::vector<Expression> base;   ///< exactly one
  std::vector<Expression> begin;  ///< one or none
  std::vector<Expression> end;    ///< one or none
};
/// `[for i in xs, j in ys if condition yield value]`
struct Comprehension {
  std::vector<Iteration> iterations;
  std::vector<Expression> condition;  ///< one or none
  std::vector<Expression> value;      ///< exactly one
};

/// The right side of an assignment, an argument, or a part of these.
struct Expression {
  std::variant<None, Number, String, Logical, Identifier, Array, Tuple, Call, Unary, Binary,
               Conditional, Subscript, Range, Comprehension>
      node;
  Position position;

  /// The node as a T, or null where it is something else.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&node);
  }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(node);
  }
};

struct Argument {
  std::string name;  ///< empty for a positional argument
  Expression value;
  Position position;
};

struct Iteration {
  std::string name;
  Expression values;
};

/// A left side: one name, or `(a, b)`, or `[a, b]`; these nest.
struct Target {
  enum class Kind { name, tuple, array };

  Kind kind = Kind::name;
  std::string name;           ///< of Kind::name only
  std::vector<Target> items;  ///< of the other kinds
  Position position;
};

struct Assignment {
  Target left;
  Expression right;
};

/// The type of a parameter or a result: `integer`, `tensor<scalar>`, `(string, scalar)[]`, …
struct TypeSpec {
  enum class Kind { single, tensor, tuple, array };

  Kind kind = Kind::single;
  std::string name;  ///< of single and tensor: integer, scalar, logical, string, complex or ?
  std::vector<TypeSpec> items;  ///< of tuple, and the one element type of array
};

struct Parameter {
  std::string name;
  std::optional<TypeSpec> type;  ///< NNEF and tract demand one; ours is lenient
  std::optional<Expression> default_value;
  Position position;
};

struct Result {
  std::string name;
  std::optional<TypeSpec> type;
  Position position;
};

/// `fragment name<? = generic>(parameters) -> (results) { body }`, or without a body, ended by `;`.
struct Fragment {
  std::string name;
  bool is_generic = false;
  std::string
      generic_default;  ///< of a generic fragment: the type it takes when none is given, or empty
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  std::optional<std::vector<Assignment>> body;
  Position position;
};

/// `extension name text;`, as in `extension tract_assert S >= 1;`
struct Extension {
  std::string name;
  std::string
      text;  ///< what stands before the semicolon, each run of blanks made one space; may be empty
  Position position;
};

/// One name of the graph's inputs or outputs.
struct Port {
  std::string name;
  Position position;
};

struct Graph {
  std::string name = "network";
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Assignment> body;
  Position position;
};

struct Document {
  std::string version = "1.0";
  std::vector<Extension> extensions;
  std::vector<Fragment> fragments;
  Graph graph;
  std::string file_name;  ///< for messages only
};

/// The deepest nesting of expressions that the parser makes; the printer and readers may recurse
/// over it.
inline constexpr int kMaxDepth = 200;

// How writers build trees.

namespace detail {
std::string integer_text(long long value);
std::string integer_text(unsigned long long value);
std::string float_text(float value);
std::string float_text(double value);
}  // namespace detail

template <std::signed_integral I>
requires(!std::same_as<I, bool>) Expression number(I value) {
  return {Number{detail::integer_text(static_cast<long long>(value))}, {}};
}
template <std::unsigned_integral I>
requires(!std::same_as<I, bool>) Expression number(I value) {
  return {Number{detail::integer_text(static_cast<unsigned long long>(value))}, {}};
}
/// The shortest text that reads back as the same value of the same width, with a dot or an
/// exponent.
template <std::floating_point F>
Expression number(F value) {
  return {Number{detail::float_text(value)}, {}};
}
inline Expression string(std::string value) { return {String{std::move(value)}, {}}; }
inline Expression logical(std::same_as<bool> auto value) { return {Logical{value}, {}}; }
inline Expression identifier(std::string name) { return {Identifier{std::move(name)}, {}}; }
inline Expression array(std::vector<Expression> items) { return {Array{std::move(items)}, {}}; }
/// Throws: invalid_argument if there is exactly one item, which NNEF cannot write.
Expression tuple(std::vector<Expression> items);
inline Argument positional(Expression value) { return {"", std::move(value), {}}; }
inline Argument named(std::string name, Expression value) {
  return {std::move(name), std::move(value), {}};
}
inline Expression call(std::string name, std::vector<Argument> arguments, std::string type = "") {
  return {Call{std::move(name), std::move(type), std::move(arguments)}, {}};
}
Expression binary(Expression left, std::string op, Expression right);
/// `name = right;`
Assignment assign(std::string name, Expression right);
/// `(names…) = right;`, or as above for one name.
Assignment assign(const std::vector<std::string>& names, Expression right);

}  // namespace strata::opl
