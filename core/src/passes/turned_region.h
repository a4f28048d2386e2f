#pragma once

#include <map>
#include <set>

#include "passes/permuted_node.h"

namespace strata {

/// A set of connected nodes that can compute on permuted images instead. Together they need neither
/// the Transposes of one permutation before them nor those after them that undo it.
class TurnedRegion {
 public:
  TurnedRegion(const TypedModel& model, Perm perm)
      : model_(model), perm_(std::move(perm)), inverse_(strata::inverse(perm_)) {}

  /// Begins with the readers of a Transpose.
  void begin_behind(const NodeView& transpose);
  /// Begins with the node that makes what a Transpose reads.
  void begin_before(const NodeView& transpose);

  const TypedModel& model() const { return model_; }
  const TypedNode& node(std::uint32_t id) const { return model_.node(id); }
  /// A wire of the model is Transpose(turned, perm).
  const Perm& perm() const { return perm_; }
  const Perm& inverse() const { return inverse_; }
  const std::map<std::uint32_t, PermutedNode>& members() const { return members_; }
  /// The Transposes whose input the members read instead.
  const std::set<std::uint32_t>& sources() const { return sources_; }
  /// The wires to be transposed for members.
  const std::set<OutletId>& entering() const { return entering_; }

  bool is_source(std::uint32_t id) const { return sources_.contains(id); }
  /// The permutation of a Transpose; nothing for other nodes.
  std::optional<Perm> perm_of(std::uint32_t id) const { return transposition({model_, id}); }
  /// That of a Transpose that reads the region.
  std::optional<Perm> perm_behind(InletId reader) const {
    return is_source(reader.node) ? std::nullopt : perm_of(reader.node);
  }
  bool is_turned(OutletId wire) const;
  bool is_read_outside(OutletId wire) const;
  /// Whether nodes other than Transposes read a turned wire.
  bool is_needed(OutletId wire) const;
  /// Whether the wire is made by a Transpose outside the region, which merges with a Transpose
  /// added after it.
  bool changes_maker(OutletId wire) const {
    return perm_of(wire.node) && !is_turned(node(wire.node).inputs[0]);
  }

 private:
  bool is_inside(InletId reader) const;
  void add_source(std::uint32_t transpose);
  void join(std::uint32_t id);
  void grow();
  void enter(OutletId wire);

  const TypedModel& model_;
  Perm perm_, inverse_;
  std::map<std::uint32_t, PermutedNode> members_;
  std::set<std::uint32_t> sources_, outside_;  // outside: those that cannot be members
  std::set<OutletId> entering_;
  std::vector<std::uint32_t> todo_;
};

}  // namespace strata
