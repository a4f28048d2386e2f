#include <algorithm>
#include <map>
#include <set>

#include "passes/passes.h"
#include "passes/permuted_node.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/transpose.h"

namespace strata {
namespace {

constexpr std::size_t kMostNodes = 1'000;  ///< of one region
constexpr double kOpenSize = 64;           ///< of an axis whose size is not known
constexpr double kNode = 1;                ///< a node more, in elements moved

/// What it takes to permute an image: elements to move, unless all but one of its axes are of size 1.
double cost_of(const ShapeFact& shape) {
  double elements = 1;
  int long_axes = 0;
  for (const Dim& size : shape.dims()) {
    const auto known = size.constant();
    elements *= known ? static_cast<double>(*known) : kOpenSize;
    if (!known || *known != 1) ++long_axes;
  }
  return kNode + (long_axes > 1 ? elements : 0);
}

/// Whether the op takes the axes of its image in one order, and its kernels as well: those of products
/// step through others.
bool slides_window(const TypedOp& op) {
  return op.as<Conv>() || op.as<Deconv>() || op.as<Pool>() || op.as<Lrn>();
}

bool comes_from_window(const NodeView& transpose) {
  return slides_window(transpose.producer(0).op());
}
bool feeds_window(const NodeView& transpose) {
  return std::ranges::any_of(
      transpose.model.successors(transpose.output()),
      [&](const InletId reader) { return slides_window(transpose.model.node(reader.node).op); });
}

bool is_identity(const Perm& perm) { return std::ranges::is_sorted(perm); }

/// Nodes that can compute on images permuted otherwise: together they do without the Transposes of
/// one permutation that bring them what windows make, and without those that undo it for windows.
class Region {
 public:
  Region(const TypedModel& model, Perm perm)
      : model_(model), perm_(std::move(perm)), inverse_(inverse(perm_)) {}

  /// Begins with the readers of a Transpose.
  void begin_behind(const NodeView& transpose) {
    add_source(transpose);
    grow();
  }
  /// Begins with the node that makes what a Transpose reads.
  void begin_before(const NodeView& transpose) {
    (void)join(transpose.input(0).node);
    grow();
  }

  /// By how much less is moved afterwards, at least. Only Transposes beside windows count as saved.
  double gain() const {
    double gain = 0;
    for (const std::uint32_t source : sources_)
      if (comes_from_window({model_, source}) && !is_read_outside({source, 0}))
        gain += cost({source, 0});
    for (const OutletId wire : entering_) gain -= cost_of_entering(wire);
    for (const auto& [id, permuted] : members_)
      if (permuted.turns_outputs)
        for (const OutletId wire : model_.outlets_of(id)) gain += gain_behind(wire);
    return gain;
  }

  Patch patch() {
    Patch patch(model_);
    patch_ = &patch;
    for (const auto& [id, permuted] : members_)
      for (const OutletId old : model_.outlets_of(id)) {
        if (!is_read_outside(old)) continue;
        const OutletId made = wired(id)[old.slot];
        if (permuted.turns_outputs)
          hand_out(old, made);
        else
          patch.shunt(old, made);
      }
    return patch;
  }

 private:
  const TypedNode& node(std::uint32_t id) const { return model_.node(id); }
  bool is_turned(OutletId wire) const {
    if (sources_.contains(wire.node)) return true;
    const auto member = members_.find(wire.node);
    return member != members_.end() && member->second.turns_outputs;
  }
  bool is_constant(OutletId wire) const { return model_.fact(wire).constant() != nullptr; }
  std::optional<Perm> perm_of(std::uint32_t id) const { return transposition({model_, id}); }
  /// Whether a member reads there what is turned instead.
  bool is_inside(InletId reader) const {
    const auto member = members_.find(reader.node);
    if (member == members_.end()) return false;
    const PermutedOperand& operand = member->second.operands[reader.slot];
    return operand.is_turned || operand.instead;
  }
  bool is_read_outside(OutletId wire) const {
    return model_.is_output(wire) ||
           !std::ranges::all_of(model_.successors(wire),
                                [&](const InletId reader) { return is_inside(reader); });
  }

  void add_source(const NodeView& transpose) {
    if (sources_.insert(transpose.id).second) todo_.push_back(transpose.id);
  }
  bool join(std::uint32_t id) {
    if (members_.contains(id)) return true;
    if (refused_.contains(id) || members_.size() == kMostNodes) return false;
    auto found = permuted_node({model_, id}, perm_);
    if (!found) {
      refused_.insert(id);
      return false;
    }
    members_.emplace(id, *std::move(found));
    todo_.push_back(id);
    return true;
  }
  /// Joins whatever reads or makes turned wires, as long as there is something that can.
  void grow() {
    while (!todo_.empty()) {
      const std::uint32_t id = todo_.back();
      todo_.pop_back();
      if (const auto member = members_.find(id); member != members_.end()) {
        const PermutedNode& permuted = member->second;
        for (std::size_t i = 0; i < permuted.operands.size(); ++i)
          if (permuted.operands[i].is_turned && !permuted.operands[i].instead)
            enter(node(id).inputs[i]);
        if (!permuted.turns_outputs) continue;
      }
      for (const OutletId wire : model_.outlets_of(id))
        for (const InletId reader : model_.successors(wire)) (void)join(reader.node);
    }
  }
  /// A wire that a member is to read turned.
  void enter(OutletId wire) {
    if (is_turned(wire) || is_constant(wire)) return;
    if (perm_of(wire.node) == perm_)
      add_source({model_, wire.node});
    else if (!join(wire.node) || !members_.at(wire.node).turns_outputs)
      entering_.insert(wire);
  }

  double cost(OutletId wire) const { return cost_of(model_.fact(wire).shape); }
  /// A Transpose that makes the wire for the region alone is only changed.
  double cost_of_entering(OutletId wire) const {
    if (is_turned(wire)) return 0;
    return perm_of(wire.node) && !is_read_outside(wire) ? 0 : cost(wire);
  }
  /// The permutation of a Transpose behind the region; nothing for other readers.
  std::optional<Perm> perm_behind(InletId reader) const {
    return sources_.contains(reader.node) ? std::nullopt : perm_of(reader.node);
  }
  /// Whether others than Transposes read a turned wire.
  bool is_needed(OutletId wire) const {
    return model_.is_output(wire) ||
           std::ranges::any_of(model_.successors(wire), [&](const InletId reader) {
             return !is_inside(reader) && !perm_behind(reader);
           });
  }
  /// Transposes behind a turned wire that go, less the one that others need to read it.
  double gain_behind(OutletId wire) const {
    double gain = is_needed(wire) ? -cost(wire) : 0;
    for (const InletId reader : model_.successors(wire))
      if (perm_behind(reader) == inverse_ && feeds_window({model_, reader.node}))
        gain += cost(wire);
    return gain;
  }

  /// Transpose(wire, perm), where perm and what makes the wire, if it is a Transpose, are one.
  OutletId transposed(const std::string& name, OutletId wire, Perm perm) {
    if (wire.node < model_.nodes().size())
      if (const auto first = perm_of(wire.node)) {
        perm = composed(*first, perm);
        wire = node(wire.node).inputs[0];
      }
    return is_identity(perm) ? wire : patch_->wire_one(name, Transpose{perm}, {wire});
  }
  /// Makes those outside read what is made instead of a wire.
  void hand_out(OutletId old, OutletId made) {
    for (const InletId reader : model_.successors(old))
      if (const auto next = perm_behind(reader))
        patch_->shunt({reader.node, 0},
                      transposed(node(reader.node).name, made, composed(perm_, *next)));
    if (is_needed(old))
      patch_->shunt(old, transposed(cat(node(old.node).name, ".transposed"), made, perm_));
  }
  /// The wire as the region reads it.
  OutletId turned(OutletId wire) {
    if (sources_.contains(wire.node)) return node(wire.node).inputs[0];
    if (is_turned(wire)) return wired(wire.node)[wire.slot];
    const auto [at, is_new] = turned_.try_emplace(wire);
    if (is_new) at->second = transposed(cat(node(wire.node).name, ".transposed"), wire, inverse_);
    return at->second;
  }
  /// The outputs of a member's permuted node.
  const OutletIds& wired(std::uint32_t id) {
    if (const auto done = wired_.find(id); done != wired_.end()) return done->second;
    const PermutedNode& permuted = members_.at(id);
    const std::string& name = node(id).name;
    OutletIds inputs = node(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& [is_turned, instead] = permuted.operands[i];
      if (instead) {
        inputs[i] = patch_->constant(cat(name, ".operand", i), *instead);
        if (is_turned) inputs[i] = transposed(cat(name, ".turned"), inputs[i], inverse_);
      } else if (is_turned) {
        inputs[i] = turned(inputs[i]);
      }
    }
    return wired_.emplace(id, patch_->wire(name, permuted.op, inputs)).first->second;
  }

  const TypedModel& model_;
  Perm perm_, inverse_;
  std::map<std::uint32_t, PermutedNode> members_;
  std::set<std::uint32_t> sources_;  ///< Transposes whose inputs the members read instead
  std::set<std::uint32_t> refused_;
  std::set<OutletId> entering_;  ///< wires to be transposed for members
  std::vector<std::uint32_t> todo_;
  Patch* patch_ = nullptr;
  std::map<std::uint32_t, OutletIds> wired_;
  std::map<OutletId, OutletId> turned_;
};

}  // namespace

Rewrite move_transposes(const NodeView& node, const Limits&) {
  const auto perm = transposition(node);
  if (perm && comes_from_window(node)) {
    Region region(node.model, *perm);
    region.begin_behind(node);
    if (region.gain() > 0) return region.patch();
  }
  if (perm && feeds_window(node)) {
    Region region(node.model, inverse(*perm));
    region.begin_before(node);
    if (region.gain() > 0) return region.patch();
  }
  return no_change;
}

}  // namespace strata
