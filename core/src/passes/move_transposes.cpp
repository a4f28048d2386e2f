#include <algorithm>
#include <map>

#include "passes/passes.h"
#include "passes/permuted_node.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/deconv.h"
#include "strata/core/ops/lrn.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

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

/// Whether the op may stand between a window and the Transpose of its image: converters make a plane of a
/// row for a convolution.
bool stands_between(const TypedOp& op) {
  return op.as<Quantize>() || op.as<Dequantize>() || op.as<Squeeze>() || op.as<Unsqueeze>();
}

constexpr int kMostBetween = 4;

/// Whether a window makes what the node reads, but for what may stand between.
bool comes_from_window(const NodeView& node, int steps = kMostBetween) {
  const NodeView maker = node.producer(0);
  return slides_window(maker.op()) ||
         (steps > 0 && stands_between(maker.op()) && comes_from_window(maker, steps - 1));
}
/// Whether a window reads what the node makes, but for what may stand between.
bool feeds_window(const NodeView& node, int steps = kMostBetween) {
  return std::ranges::any_of(node.model.successors(node.output()), [&](const InletId reader) {
    const NodeView next{node.model, reader.node};
    return slides_window(next.op()) ||
           (steps > 0 && stands_between(next.op()) && feeds_window(next, steps - 1));
  });
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
    join(transpose.input(0).node);
    grow();
  }

  /// By how much less is moved afterwards, at least. Only Transposes beside windows count as saved.
  double gain() const {
    double gain = 0;
    for (const auto& [wire, turned] : entering_) gain -= cost_of_entering(wire);
    for (const auto& [id, place] : places_) {
      if (place.role == Role::source && comes_from_window({model_, id}) &&
          !is_read_outside({id, 0}))
        gain += cost({id, 0});
      if (place.role == Role::member && place.permuted->turns_outputs)
        for (const OutletId wire : model_.outlets_of(id)) gain += gain_behind(wire);
    }
    return gain;
  }

  Patch patch() {
    Patch patch(model_);
    patch_ = &patch;
    for (auto& [id, place] : places_) {
      if (place.role != Role::member) continue;
      for (const OutletId old : model_.outlets_of(id)) {
        if (!is_read_outside(old)) continue;
        const OutletId made = wired(id, place)[old.slot];
        if (place.permuted->turns_outputs)
          hand_out(old, made);
        else
          patch.shunt(old, made);
      }
    }
    return patch;
  }

 private:
  enum class Role {
    member,
    source,   ///< a Transpose whose input the members read instead
    outside,  ///< it cannot be a member
  };
  struct Place {
    Role role;
    std::optional<PermutedNode> permuted = std::nullopt;  ///< of a member
    OutletIds wired = {};  ///< what that makes, once it is in the patch
  };

  const TypedNode& node(std::uint32_t id) const { return model_.node(id); }
  /// The place of a node in this role, or null.
  const Place* place_of(std::uint32_t id, Role role) const {
    const auto place = places_.find(id);
    return place != places_.end() && place->second.role == role ? &place->second : nullptr;
  }
  bool is_source(std::uint32_t id) const { return place_of(id, Role::source) != nullptr; }
  bool is_turned(OutletId wire) const {
    const Place* member = place_of(wire.node, Role::member);
    return member ? member->permuted->turns_outputs : is_source(wire.node);
  }
  std::optional<Perm> perm_of(std::uint32_t id) const { return transposition({model_, id}); }
  /// Whether a member reads there what is turned instead.
  bool is_inside(InletId reader) const {
    const Place* member = place_of(reader.node, Role::member);
    if (!member) return false;
    const PermutedOperand& operand = member->permuted->operands[reader.slot];
    return operand.is_turned || operand.instead;
  }
  bool is_read_outside(OutletId wire) const {
    return model_.is_output(wire) ||
           !std::ranges::all_of(model_.successors(wire),
                                [&](const InletId reader) { return is_inside(reader); });
  }

  void add_source(const NodeView& transpose) {
    if (places_.try_emplace(transpose.id, Place{Role::source}).second)
      todo_.push_back(transpose.id);
  }
  void join(std::uint32_t id) {
    if (places_.contains(id) || perm_of(id)) return;  // a Transpose may be a source still
    auto found = places_.size() < kMostNodes ? permuted_node({model_, id}, perm_) : std::nullopt;
    if (found) todo_.push_back(id);
    const Role role = found ? Role::member : Role::outside;
    places_.emplace(id, Place{role, std::move(found)});
  }
  /// Joins whatever reads or makes turned wires, as long as there is something that can.
  void grow() {
    while (!todo_.empty()) {
      const std::uint32_t id = todo_.back();
      todo_.pop_back();
      if (const Place* member = place_of(id, Role::member)) {
        const auto& operands = member->permuted->operands;
        for (std::size_t i = 0; i < operands.size(); ++i)
          if (operands[i].is_turned && !operands[i].instead) enter(node(id).inputs[i]);
      }
      for (const OutletId wire : model_.outlets_of(id))
        if (is_turned(wire))
          for (const InletId reader : model_.successors(wire)) join(reader.node);
    }
  }
  /// A wire that a member is to read turned.
  void enter(OutletId wire) {
    if (model_.fact(wire).constant()) return;
    if (perm_of(wire.node) == perm_)
      add_source({model_, wire.node});
    else
      join(wire.node);
    if (!is_turned(wire)) entering_.emplace(wire, wire);
  }

  /// Whether a Transpose makes the wire of what is not computed otherwise: it and one behind it are one.
  bool changes_maker(OutletId wire) const {
    return perm_of(wire.node) && !is_turned(node(wire.node).inputs[0]);
  }
  double cost(OutletId wire) const { return cost_of(model_.fact(wire).shape); }
  /// A Transpose that makes the wire for the region alone is only changed.
  double cost_of_entering(OutletId wire) const {
    if (is_turned(wire)) return 0;
    return changes_maker(wire) && !is_read_outside(wire) ? 0 : cost(wire);
  }
  /// The permutation of a Transpose behind the region; nothing for other readers.
  std::optional<Perm> perm_behind(InletId reader) const {
    return is_source(reader.node) ? std::nullopt : perm_of(reader.node);
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
    const bool is_old = wire.node < model_.nodes().size();
    if (is_old && changes_maker(wire)) {
      perm = composed(*perm_of(wire.node), perm);
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
    if (is_source(wire.node)) return node(wire.node).inputs[0];
    if (is_turned(wire)) return wired(wire.node, places_.at(wire.node))[wire.slot];
    OutletId& out = entering_.try_emplace(wire, wire).first->second;
    if (out == wire) out = transposed(cat(node(wire.node).name, ".transposed"), wire, inverse_);
    return out;
  }
  /// The outputs of a member's permuted node.
  const OutletIds& wired(std::uint32_t id, Place& place) {
    if (!place.wired.empty()) return place.wired;
    const std::string& name = node(id).name;
    OutletIds inputs = node(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& [is_turned, instead] = place.permuted->operands[i];
      if (instead) {
        inputs[i] = patch_->constant(cat(name, ".operand", i), *instead);
        if (is_turned) inputs[i] = transposed(cat(name, ".turned"), inputs[i], inverse_);
      } else if (is_turned) {
        inputs[i] = turned(inputs[i]);
      }
    }
    return place.wired = patch_->wire(name, place.permuted->op, inputs);
  }

  const TypedModel& model_;
  Perm perm_, inverse_;
  std::map<std::uint32_t, Place> places_;
  /// Wires to be transposed for members, and what they are then.
  std::map<OutletId, OutletId> entering_;
  std::vector<std::uint32_t> todo_;
  Patch* patch_ = nullptr;
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
