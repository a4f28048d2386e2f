#include "passes/turned_region.h"

#include <algorithm>

namespace strata {
namespace {

constexpr std::size_t kMostNodes = 1'000;  ///< that a region looks at

}  // namespace

void TurnedRegion::begin_behind(const NodeView& transpose) {
  add_source(transpose.id);
  grow();
}

void TurnedRegion::begin_before(const NodeView& transpose) {
  join(transpose.input(0).node);
  grow();
}

bool TurnedRegion::is_turned(OutletId wire) const {
  const auto member = members_.find(wire.node);
  return member == members_.end() ? is_source(wire.node) : member->second.turns_outputs;
}

/// Whether the reader is a member, which reads the turned wire instead.
bool TurnedRegion::is_inside(InletId reader) const {
  const auto member = members_.find(reader.node);
  if (member == members_.end()) return false;
  const PermutedOperand& operand = member->second.operands[reader.slot];
  return operand.is_turned || operand.instead;
}

bool TurnedRegion::is_read_outside(OutletId wire) const {
  return model_.is_output(wire) ||
         !std::ranges::all_of(model_.successors(wire),
                              [&](const InletId reader) { return is_inside(reader); });
}

bool TurnedRegion::is_needed(OutletId wire) const {
  return model_.is_output(wire) ||
         std::ranges::any_of(model_.successors(wire), [&](const InletId reader) {
           return !is_inside(reader) && !perm_behind(reader);
         });
}

void TurnedRegion::add_source(std::uint32_t transpose) {
  if (sources_.insert(transpose).second) todo_.push_back(transpose);
}

void TurnedRegion::join(std::uint32_t id) {
  if (members_.contains(id) || outside_.contains(id)) return;
  if (perm_of(id)) return;  // a Transpose may be a source still
  const bool is_full = members_.size() + sources_.size() + outside_.size() >= kMostNodes;
  if (auto permuted = is_full ? std::nullopt : permuted_node({model_, id}, perm_)) {
    members_.emplace(id, *std::move(permuted));
    todo_.push_back(id);
  } else {
    outside_.insert(id);
  }
}

/// Adds nodes that read or make turned wires, as long as there are such nodes that can be permuted.
void TurnedRegion::grow() {
  while (!todo_.empty()) {
    const std::uint32_t id = todo_.back();
    todo_.pop_back();
    if (const auto member = members_.find(id); member != members_.end()) {
      const auto& operands = member->second.operands;
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i].is_turned && !operands[i].instead) enter(node(id).inputs[i]);
    }
    for (const OutletId wire : model_.outlets_of(id))
      if (is_turned(wire))
        for (const InletId reader : model_.successors(wire)) join(reader.node);
  }
}

/// A wire that a member is to read turned.
void TurnedRegion::enter(OutletId wire) {
  if (model_.fact(wire).constant()) return;
  if (perm_of(wire.node) == perm_)
    add_source(wire.node);
  else
    join(wire.node);
  if (!is_turned(wire)) entering_.insert(wire);
}

}  // namespace strata
