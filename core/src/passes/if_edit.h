#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "passes/body_draft.h"
#include "passes/input_places.h"
#include "strata/core/ops/if.h"
#include "strata/core/patch.h"

namespace strata {

/// One of an If's bodies.
enum class Branch : std::size_t { then_body, else_body };
inline constexpr std::array kBranches{Branch::then_body, Branch::else_body};

/// A bool wire of one element, traced back through negations.
struct Truth {
  OutletId root;
  bool negated = false;
  bool operator==(const Truth&) const = default;
};
Truth truth_of(const TypedModel& model, OutletId wire);

/// An If whose bodies and captured values are being changed.
class IfEdit {
 public:
  IfEdit(const NodeView& node, const If& branch);

  const NodeView& node() const { return node_; }
  /// Takes the nodes put before the If.
  Patch& patch() { return patch_; }
  const TypedModel& body(Branch branch) const { return *bodies_[index(branch)]; }
  TypedModel& changed_body(Branch branch) { return bodies_[index(branch)].changed(); }

  std::size_t captured() const { return captured_.size(); }
  OutletId outer(std::size_t i) const { return captured_[i]; }
  /// The wire of a body by which captured value `i` comes in.
  OutletId source(Branch branch, std::size_t i) const { return body(branch).inputs()[i]; }
  /// The wire outside that a wire of a body stands for; nothing for what the body computes.
  std::optional<OutletId> outside(Branch branch, OutletId wire) const;
  /// Readers of these wires, one in each body, read `outer` instead.
  void capture(OutletId outer, std::string_view name, std::array<OutletId, 2> wires);
  /// Whether both bodies give the same wire from outside as output `i`.
  bool is_common_output(std::size_t i) const;

  /// The If as it is now: outputs that both bodies give from outside become those wires, and values
  /// that no body reads are not captured.
  Patch finish() &&;

 private:
  static std::size_t index(Branch branch) { return static_cast<std::size_t>(branch); }
  /// The outputs that an If still has to give; the others are shunted.
  std::vector<std::size_t> take_outputs();
  OutletIds take_captured();

  NodeView node_;
  Patch patch_;
  std::array<BodyDraft, 2> bodies_;
  OutletIds captured_;
  mutable std::array<std::optional<InputPlaces>, 2> places_;  ///< once they are asked for
};

}  // namespace strata
