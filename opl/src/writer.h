#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "names.h"
#include "registry.h"
#include "strata/core/ops/all.h"
#include "strata/core/typed_model.h"
#include "strata/opl/archive.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// Where the elements of constant tensors go.
enum class ConstantForm {
  files,  ///< `variable(label = …)` and a file
  text,   ///< `strata_constant(values = …)`
};

/// What becomes of the inputs and outputs of a graph that is written.
enum class Ports {
  keep_names,  ///< those of the model itself
  may_change,  ///< those of a body may take other names
  bound,  ///< the same, and the fragment does not declare its inputs: its caller says what they are
};

/// Collects what a document consists of besides its graph: bodies, variables, symbols, registries.
class DocumentWriter {
 public:
  DocumentWriter(ConstantForm form, std::span<const OpEntry> own) : form_(form), own_ops_(own) {}

  /// Writes `model` as the graph of the document.
  Document write(const TypedModel& model);
  /// The tensors behind the labels of the document, after `write`.
  const std::map<std::string, Tensor, std::less<>>& variables() const { return variables_; }

 private:
  friend class GraphWriter;

  /// The call that makes `tensor`, named `name` in the document.
  Expression constant(const Tensor& tensor, const std::string& name);
  /// The fragment that `body` is written as.
  const Fragment& body(const Body& body, std::string_view hint, Ports ports);
  void note_symbols(const Dim& dim);
  void note_registries(const Expression& expression);
  /// The label of a tensor, which branches of a model may share.
  const std::string& variable(const Tensor& tensor, const std::string& name);
  std::string label_for(std::string_view name);
  void note_symbols(const TypedModel& model);
  /// The size as the document spells it: a symbol that shares its name with an input or output of
  /// the graph gets another.
  Dim spelled(const Dim& dim);
  Tensor spelled(const Tensor& dims);
  Fact spelled(Fact fact);
  std::vector<Extension> extensions(const SymbolScope& scope) const;

  ConstantForm form_;
  std::span<const OpEntry> own_ops_;
  using Variables = std::map<std::string, Tensor, std::less<>>;
  Variables variables_;
  TakenNames labels_;
  std::multimap<const void*, Variables::const_iterator> by_place_;  ///< by where the elements lie
  std::map<std::string, Fragment, std::less<>> fragments_;
  TakenNames fragment_names_;
  std::map<std::pair<const TypedModel*, Ports>, std::string> bodies_;
  std::set<std::string, std::less<>> registries_;
  std::set<std::string, std::less<>> symbols_;    ///< as they are spelled
  std::set<std::string, std::less<>> ports_;      ///< names of the graph's inputs and outputs
  std::map<std::string, std::string> respelled_;  ///< symbols that take another name
  /// Symbols of the graph's inputs, as the model has them.
  std::set<std::string, std::less<>> own_;
};

/// Writes the assignments of one graph or body. A registry's writers put expressions together from
/// what it offers.
class GraphWriter {
 public:
  GraphWriter(const TypedModel& model, DocumentWriter& document, Ports ports);

  void write();
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  std::vector<Assignment> take_body() { return std::move(body_); }

  /// The name of a wire, as an expression.
  Expression wire(OutletId outlet);
  Expression input(const NodeView& node, std::size_t i) { return wire(node.input(i)); }
  /// An input of the default form: a literal for small constants that it represents exactly,
  /// otherwise the name of the wire.
  Expression operand(const NodeView& node, std::size_t i);
  /// An assignment of its own before that of `node`, and its name.
  Expression step(const NodeView& node, std::string_view hint, Expression right);
  /// A tensor that is no wire, as a constant of its own before `node`.
  Expression tensor(const NodeView& node, std::string_view hint, const Tensor& tensor);
  /// The name of the fragment that holds `body`.
  Expression body(const NodeView& node, std::string_view hint, const Body& body);
  /// The user's own ops.
  std::span<const OpEntry> own_ops() const { return document_.own_ops_; }
  /// The fragment of a body that does not declare its inputs: its caller determines them.
  const Fragment& bound_body(const NodeView& node, std::string_view hint, const Body& body);
  Expression dim(const Dim& dim);
  Expression dims(std::span<const Dim> dims);

 private:
  void name_wires(const std::vector<std::uint32_t>& order);
  std::string claim(std::string_view wanted);
  void name_outputs();
  std::optional<Expression> literal(OutletId outlet);
  bool is_read(OutletId outlet) const;
  void write_node(std::uint32_t id);
  void write_constant(std::uint32_t id);
  void alias_outputs();
  Expression right_side(const NodeView& node);
  Expression source(const Fact& fact);
  Expression constant_value(const NodeView& node, const std::string& name, const Value& value);

  const TypedModel model_;  ///< as its reader will know it
  const Ports ports_;
  DocumentWriter& document_;
  std::map<OutletId, std::string> names_;
  TakenNames taken_;
  std::vector<std::string> inputs_, outputs_;
  std::set<std::uint32_t> read_constants_;
  std::vector<Assignment> body_;   ///< all, in order
  std::vector<Assignment> steps_;  ///< of what is being written
};

/// The tensor of the Const node that makes input `i`, or null where another op does or it holds no
/// plain tensor.
const Tensor* constant_input(const NodeView& node, std::size_t i);
/// The elements of an input of rank 0 or 1 made by a Const node, also symbolic ones.
std::optional<std::vector<Dim>> constant_dims(const NodeView& node, std::size_t i);
/// The same for integers alone.
std::optional<Shape> constant_integers(const NodeView& node, std::size_t i);
/// The only one of them.
std::optional<std::int64_t> constant_integer(const NodeView& node, std::size_t i);
/// The one element of a constant f32 input of any shape.
std::optional<float> constant_float(const NodeView& node, std::size_t i);

/// `[1, 2, 3]`
template <class Numbers>
Expression numbers(const Numbers& values) {
  std::vector<Expression> items;
  for (const auto value : values) items.push_back(number(value));
  return array(std::move(items));
}

}  // namespace strata::opl
