#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

/// A change to a TypedModel, worked out on the side, then applied whole or not at all.
///
/// New nodes may read old wires and each other; `shunt` makes all readers of an old wire read
/// another. Applying checks that the new wire's type and shape agree with the old one's. Nodes
/// nobody reads afterwards are erased.
class Patch final : public Wiring {
 public:
  explicit Patch(const TypedModel& model) : model_(&model) {}
  /// A patch whose new nodes are named after `node`.
  explicit Patch(const NodeView& node) : model_(&node.model), named_after_(node.id) {}
  // Defined in one place, since every rule moves patches.
  Patch(Patch&&) noexcept;
  Patch& operator=(Patch&&) noexcept;
  ~Patch() override;

  const Fact& fact_of(OutletId outlet) const override;
  /// In a patch named after `conv1`, the node of `wire("bias", …)` is called `conv1.bias`. Of the
  /// nodes with an empty name, the last is called `conv1`, the others after their ops, as in
  /// `conv1.transpose`.
  OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) override;
  /// The same for an op whose facts are known to be `facts`, which are not inferred again.
  OutletIds wire_as(std::string_view name, TypedOp op, const OutletIds& inputs, FactList facts);
  const std::shared_ptr<SymbolScope>& symbol_scope() const override {
    return model_->symbol_scope();
  }
  bool needs_names() const override { return false; }
  void shunt(OutletId old_wire, OutletId new_wire) { shunts_.push_back({old_wire, new_wire}); }

  using NodeIds = SmallVector<std::uint32_t, 8>;
  /// Spends the patch. Returns the ids of the nodes whose inputs or facts changed, new ones first.
  /// Throws, with the model as it was, when a fact does not agree: invalid_model where the model
  /// says more of the old wire than its op would give, else internal.
  NodeIds apply(TypedModel& model);

 private:
  struct NewNode {
    std::string suffix;  ///< of its name
    TypedOp op;
    OutletIds inputs;
    FactList facts;
  };
  /// Readers of `from` are to read `to`.
  struct Shunt {
    OutletId from;
    OutletId to;
    bool operator==(const Shunt&) const = default;
  };
  /// The facts that shunted wires have afterwards; none where all stay as they are.
  FactList merged_facts() const;
  /// The node whose place the patch's only node takes, output for output and under its name.
  std::optional<std::uint32_t> replaced_node() const;
  NodeIds replace_in_place(TypedModel& model, std::uint32_t id, FactList merged);
  /// Gives each new node of `ids` that is not erased its name, which begins with `prefix`.
  void name_nodes(TypedModel& model, const NodeIds& ids, const std::string& prefix) const;

  const TypedModel* model_;
  std::optional<std::uint32_t> named_after_;
  std::vector<NewNode> nodes_;
  SmallVector<Shunt, 2> shunts_;
};

inline constexpr std::nullopt_t no_change = std::nullopt;

/// Replaces the node by `op` of `inputs`, with the same outputs. A kernel keeps the facts of the
/// node, for which it was chosen.
Rewrite replace(const NodeView& node, TypedOp op, const OutletIds& inputs);
/// Readers of the node's only output read `wire` instead.
Rewrite bypass(const NodeView& node, OutletId wire);
/// The node's outputs as constants.
Rewrite replace_by_constants(const NodeView& node, const ValueList& values);

}  // namespace strata
