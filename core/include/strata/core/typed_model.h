#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/gathered_facts.h"
#include "strata/core/graph.h"
#include "strata/core/typed_op.h"

namespace strata {

using TypedNode = Node<Fact, TypedOp>;
extern template class Graph<Fact, TypedOp>;

/// Something nodes can be wired into: a TypedModel or a Patch of one.
class Wiring {
 public:
  virtual ~Wiring() = default;
  virtual const Fact& fact_of(OutletId outlet) const = 0;
  GatheredFacts facts_of(const OutletIds& wires) const;
  /// Adds a node; its facts come from the op. Small integer results, and a few floats, are
  /// evaluated at once, so that a shape computed from a constant is known at the next wire. Throws:
  /// what the op's checks throw, in the node's name where it has one.
  virtual OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) = 0;
  /// Where fresh dims get their names; bodies of control-flow ops share it.
  virtual const std::shared_ptr<SymbolScope>& symbol_scope() const = 0;
  SymbolScope& symbols() const { return *symbol_scope(); }

  /// Whether each node needs a name. A target that names nodes itself, or not at all, takes an
  /// empty one, which saves callers from making one.
  virtual bool needs_names() const { return true; }

  OutletId constant(std::string_view name, Value value);
  OutletId constant(std::string_view name, std::shared_ptr<const Value> value);
  /// For an op with one output.
  OutletId wire_one(std::string_view name, TypedOp op, const OutletIds& inputs);
};

/// A graph input of the model, whose value the caller gives.
struct Source {
  static constexpr std::string_view name = "Source";
  Fact fact;
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts) const { return {fact}; }
  ValueList eval(Values) const {
    fail(ErrorKind::internal, "a graph input has no value of its own");
  }
};
static_assert(OpDef<Source>);

/// A constant value.
struct Const {
  static constexpr std::string_view name = "Const";
  std::shared_ptr<const Value> value;  ///< shared with the facts of its wires
  static constexpr auto attributes() { return std::tuple{attr("value", &Const::value)}; }
  FactList output_facts(Facts) const { return {Fact::of(value)}; }
  ValueList eval(Values) const { return {*value}; }
};
static_assert(OpDef<Const>);

/// The strict IR: every wire has a Fact, every node a TypedOp, nothing is captured by name, and no
/// input of a node is absent.
///
/// Names: a graph input is named as its source node. Bodies of control-flow ops share the symbol
/// scope of the model they are in, and so does a copy: of copies, only one may be changed at a time.
/// Models made anew, by `concretize_dims` or `with_constants`, have a scope of their own. Patches are
/// the way to rewrite a model (patch.h).
class TypedModel : public Graph<Fact, TypedOp>, public Wiring {
 public:
  explicit TypedModel(std::shared_ptr<SymbolScope> symbols = std::make_shared<SymbolScope>())
      : symbols_(std::move(symbols)) {}
  // Defined in one place, since every rewrite copies and destroys models.
  TypedModel(const TypedModel&);
  TypedModel(TypedModel&&) noexcept;
  TypedModel& operator=(const TypedModel&);
  TypedModel& operator=(TypedModel&&) noexcept;
  ~TypedModel() override;

  OutletId add_source(std::string_view name, Fact fact);
  const Fact& fact_of(OutletId outlet) const override { return fact(outlet); }
  OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) override;
  /// The same for a node that `name_like` will name.
  OutletIds wire_unnamed(TypedOp op, const OutletIds& inputs);
  const std::shared_ptr<SymbolScope>& symbol_scope() const override { return symbols_; }

  /// Each throws invalid_argument where there is no such input or output.
  const std::string& input_name(std::size_t i) const { return node(port(i).node).name; }
  const Fact& input_fact(std::size_t i) const { return fact(port(i)); }
  const Fact& output_fact(std::size_t i) const;

  /// Erases node `id` if nobody reads it and it is not an input of the model, then what only it
  /// read.
  void erase_unread(std::uint32_t id);
  /// Erases nodes that no output needs; the inputs stay.
  void remove_dead_nodes();
  /// Drops erased nodes and numbers the others in evaluation order.
  void compact();
  /// The number of live nodes, those of bodies included.
  std::size_t total_nodes() const;
  /// The sum of the costs of all nodes; bodies of loops are counted once for each iteration of a
  /// known trip count.
  Cost cost() const;
  /// Throws: internal when an invariant of the graph does not hold.
  void verify() const;
  /// The target that the model has been lowered for, so that what is lowered during a run gets
  /// kernels of the same kind; null while the model is portable.
  const std::shared_ptr<const Target>& target() const { return target_; }
  void set_target(std::shared_ptr<const Target> target) { target_ = std::move(target); }

 private:
  OutletId port(std::size_t i) const;
  /// The facts of the outputs that an op has on these inputs.
  FactList inferred_facts(const TypedOp& op, const OutletIds& inputs) const;

  std::shared_ptr<SymbolScope> symbols_;
  std::shared_ptr<const Target> target_;
};

/// One node of a model being looked at by a rule.
struct NodeView {
  const TypedModel& model;
  std::uint32_t id;

  const TypedNode& node() const { return model.node(id); }
  const TypedOp& op() const { return node().op; }
  const std::string& name() const { return node().name; }
  const OutletIds& inputs() const { return node().inputs; }
  OutletId input(std::size_t i) const { return node().inputs[i]; }
  OutletId output(std::size_t i = 0) const { return {id, static_cast<std::uint32_t>(i)}; }
  const Fact& input_fact(std::size_t i) const { return model.fact(input(i)); }
  const Fact& output_fact(std::size_t i = 0) const { return node().outputs[i].fact; }
  GatheredFacts input_facts() const { return model.facts_of(inputs()); }
  GatheredFacts output_facts() const { return GatheredFacts(node().outputs); }
  std::size_t output_count() const { return node().outputs.size(); }
  /// The node that makes input `i`.
  NodeView producer(std::size_t i) const { return {model, input(i).node}; }
  /// Whether this outlet is read exactly once, and is not a graph output.
  bool sole_reader(OutletId outlet) const {
    return model.successors(outlet).size() == 1 && !model.is_output(outlet);
  }
  /// The producer of input `i` as an op of this kind, or null.
  template <class Op>
  const Op* producer_as(std::size_t i) const {
    return producer(i).op().template as<Op>();
  }
};

/// The facts that `op` gives its outputs, with small integer values worked out. `scope` names fresh
/// dims.
FactList infer_facts(const TypedOp& op, Facts in, SymbolScope& scope);

}  // namespace strata
