#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item.h"
#include "registry.h"
#include "strata/core/builder.h"
#include "strata/core/ops/all.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"
#include "strata/core/typed_model.h"
#include "strata/opl/dat.h"

namespace strata::opl {

class GraphReader;

/// The arguments of an invocation with their names resolved.
struct Arguments {
  std::vector<Item> positional;
  std::vector<std::pair<std::string, Item>> named;
  std::string type;  ///< what stands between < and >, or empty
};

/// An invocation of a fragment while it is read: its arguments by parameter, and the model to wire
/// into.
///
/// A parameter that is not given has its default; without one, that is an error. All errors name
/// the place in the document.
class Invocation {
 public:
  /// `target` is the name of the wire that the result is assigned to.
  Invocation(GraphReader& reader, std::string fragment, std::string target, Arguments arguments,
             Position position);
  /// Gives positional arguments the names of the row's parameters.
  /// Throws: invalid_model where an argument fits no parameter.
  void bind(const ReadRow& row);

  const std::string& fragment() const { return fragment_; }
  const std::string& target() const { return target_; }
  const std::string& type() const { return arguments_.type; }
  const std::vector<Item>& positionals() const { return arguments_.positional; }
  const std::vector<std::pair<std::string, Item>>& named_arguments() const {
    return arguments_.named;
  }

  bool given(std::string_view parameter) const;
  /// Whether a tensor is given; `false` stands for none.
  bool has_tensor(std::string_view parameter) const;
  const Item& item(std::string_view parameter) const;

  /// A tensor: a wire, or a constant made of a literal: integers become i64, others f32.
  OutletId wire(std::string_view parameter);
  /// The same; the numbers of a literal take the type `type`.
  OutletId wire(std::string_view parameter, DatumType type);
  OutletIds wires(std::string_view parameter);
  /// A list of sizes, as a vector of i64.
  OutletId sizes(std::string_view parameter);
  OutletId operand(const Item& item);
  OutletId operand(const Item& item, DatumType type);

  std::int64_t integer(std::string_view parameter) const;
  std::int64_t integer(std::string_view parameter, std::int64_t otherwise) const;
  double number(std::string_view parameter, double otherwise) const;
  bool logical(std::string_view parameter, bool otherwise) const;
  std::string string(std::string_view parameter, std::string_view otherwise) const;
  std::string string(std::string_view parameter) const;
  DatumType datum_type(std::string_view parameter) const;
  /// The enumerator that a string names.
  template <NamedEnum E>
  E choice(std::string_view parameter, E otherwise) const {
    if (!given(parameter)) return otherwise;
    return static_cast<E>(value_of(kEnumerators<E>, string(parameter), parameter));
  }
  /// Empty where the parameter is not given.
  Shape integers(std::string_view parameter) const;
  std::vector<Dim> dims(std::string_view parameter) const;
  /// The elements of a list of sizes; those of a wire whose value is known.
  std::vector<Item> size_items(std::string_view parameter) const;
  /// A size that the document tells, or a wire of one integer that is known.
  std::optional<Dim> known_size(const Item& item) const;
  /// `[(before, after), …]`
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs(std::string_view parameter) const;

  /// Charges so many assignments to the budget, for a fragment that becomes many nodes. Throws:
  /// limit.
  void count_assignments(std::int64_t count);

  const Fact& fact(OutletId outlet) const;
  /// The node that a wire comes from.
  const TypedNode& maker(OutletId outlet) const;
  /// Throws: unsupported where the rank is not known.
  std::size_t rank(OutletId outlet) const;

  /// The node that gives the result; it is named after the target.
  OutletIds make(const TypedOp& op, const OutletIds& inputs);
  OutletIds make(UnaryOp op, OutletId x);
  OutletIds make(BinaryOp op, OutletId left, OutletId right);
  /// A wire that was made as the result: its node takes the target's name.
  OutletIds as_result(OutletId wire);
  /// Names what it wires after the target.
  Builder builder() const;
  /// A node on the way to the result.
  OutletId step(std::string_view hint, const TypedOp& op, const OutletIds& inputs);
  OutletId step(std::string_view hint, UnaryOp op, OutletId x);
  OutletId step(std::string_view hint, BinaryOp op, OutletId left, OutletId right);
  /// The same for an op of several outputs.
  OutletIds steps(std::string_view hint, const TypedOp& op, const OutletIds& inputs);
  OutletId constant(std::string_view hint, Value value);
  /// A scalar.
  OutletId number_constant(std::string_view hint, DatumType type, double value);
  /// An i64 vector.
  OutletId integers_constant(std::string_view hint, const Shape& values);
  /// An i64 vector of sizes, symbolic ones as the run has them.
  OutletId size_vector(std::string_view hint, const std::vector<Dim>& dims);
  /// The same; sizes that are not known are given as wires.
  OutletId size_vector(std::string_view hint, const std::vector<Item>& items);
  OutletIds make_constant(Value value);
  OutletIds make_source(Fact fact);
  /// Invokes another fragment with these arguments for the same target.
  OutletIds forward(std::string_view fragment, Arguments arguments);

  /// The user's own ops.
  std::span<const OpEntry> own_ops() const;
  /// Whether tract has written the document.
  bool is_of_tract() const;
  Body body(std::string_view name, Position position);
  /// The fragment of the document that the string `parameter` names.
  const Fragment& fragment_named(std::string_view parameter) const;
  /// The fragment as a body whose inputs are like `parameters`.
  TypedModel body_of(const Fragment& fragment, const std::vector<Fact>& parameters);
  /// The body that was made by the same recipe before, or `made`.
  Body shared_body(std::string recipe, TypedModel made);
  const std::shared_ptr<SymbolScope>& symbols() const;
  /// The elements behind `label`.
  Tensor variable(const std::string& label);
  /// The same of a file of 4-bit blocks; nothing where it holds others.
  std::optional<Blocks> blocks(const std::string& label);

  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_at(Position position, std::string_view message) const;
  /// `what` is a thing, as in `the border "reflect"`.
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  OutletId literal(std::string_view hint, Tensor tensor, DatumType type);
  OutletId size(const Dim& dim);
  OutletId computed_size(const Dim& dim);
  OutletId as_size_vector(OutletId wire);
  const Item* find(std::string_view parameter) const;
  /// An integer that the document tells, or a wire whose value is known.
  std::optional<std::int64_t> known_integer(const Item& item) const;
  std::string helper_name(std::string_view hint) const;
  /// Fails as `parameter` is not what is `wanted`.
  [[noreturn]] void refuse(std::string_view parameter, std::string_view wanted,
                           const Item& given) const;

  GraphReader& reader_;
  std::string fragment_;
  std::string target_;
  Arguments arguments_;
  Position position_;
};

}  // namespace strata::opl
