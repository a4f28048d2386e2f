#include <algorithm>

#include "passes/passes.h"
#include "passes/turned_region.h"
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

constexpr double kOpenSize = 64;  ///< of an axis whose size is not known
constexpr double kNode = 1;       ///< cost of a further node, in elements moved

/// The cost of permuting an image: the elements to move, or none if all but one of its axes have
/// size 1.
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

/// Whether the op, and its kernels, need the axes of the image in one order. Kernels of products do
/// not: they can step through any.
bool slides_window(const TypedOp& op) {
  return op.as<Conv>() || op.as<Deconv>() || op.as<Pool>() || op.as<Lrn>();
}

/// Whether the op may be between a window and the Transpose of its image: converters turn rows into
/// planes for a convolution.
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

double cost_of(const TurnedRegion& region, OutletId wire) {
  return cost_of(region.model().fact(wire).shape);
}

/// If a Transpose makes the wire for the region alone, that Transpose changes and none is added.
double cost_of_entering(const TurnedRegion& region, OutletId wire) {
  if (region.is_turned(wire)) return 0;
  return region.changes_maker(wire) && !region.is_read_outside(wire) ? 0 : cost_of(region, wire);
}

/// The Transposes after a turned wire that vanish, less the one that other readers need.
double gain_behind(const TurnedRegion& region, OutletId wire) {
  double gain = region.is_needed(wire) ? -cost_of(region, wire) : 0;
  for (const InletId reader : region.model().successors(wire))
    if (region.perm_behind(reader) == region.inverse() &&
        feeds_window({region.model(), reader.node}))
      gain += cost_of(region, wire);
  return gain;
}

/// A lower bound of how many elements fewer are moved afterwards. Only Transposes beside windows
/// count as saved.
double gain_of(const TurnedRegion& region) {
  double gain = 0;
  for (const OutletId wire : region.entering()) gain -= cost_of_entering(region, wire);
  for (const std::uint32_t id : region.sources())
    if (comes_from_window({region.model(), id}) && !region.is_read_outside({id, 0}))
      gain += cost_of(region, {id, 0});
  for (const auto& [id, member] : region.members())
    if (member.turns_outputs)
      for (const OutletId wire : region.model().outlets_of(id)) gain += gain_behind(region, wire);
  return gain;
}

bool is_identity(const Perm& perm) { return std::ranges::is_sorted(perm); }

/// The members of a region, permuted, in the place of what they are.
class PermutedRegion {
 public:
  explicit PermutedRegion(const TurnedRegion& region) : region_(region), patch_(region.model()) {}

  Patch patch() && {
    for (const auto& [id, member] : region_.members()) {
      for (const OutletId old : region_.model().outlets_of(id)) {
        if (!region_.is_read_outside(old)) continue;
        const OutletId made = wired(id)[old.slot];
        if (member.turns_outputs)
          hand_out(old, made);
        else
          patch_.shunt(old, made);
      }
    }
    return std::move(patch_);
  }

 private:
  /// Transpose(wire, perm), where perm and what makes the wire, if it is a Transpose, are one.
  OutletId transposed(const std::string& name, OutletId wire, Perm perm) {
    const bool is_old = wire.node < region_.model().nodes().size();
    if (is_old && region_.changes_maker(wire)) {
      perm = composed(*region_.perm_of(wire.node), perm);
      wire = region_.node(wire.node).inputs[0];
    }
    return is_identity(perm) ? wire : patch_.wire_one(name, Transpose{perm}, {wire});
  }
  /// Makes readers outside the region read `made` instead of a wire.
  void hand_out(OutletId old, OutletId made) {
    const Perm& perm = region_.perm();
    for (const InletId reader : region_.model().successors(old))
      if (const auto next = region_.perm_behind(reader))
        patch_.shunt({reader.node, 0},
                     transposed(region_.node(reader.node).name, made, composed(perm, *next)));
    if (region_.is_needed(old)) patch_.shunt(old, transposed(turned_name(old), made, perm));
  }
  /// The wire as members read it.
  OutletId turned(OutletId wire) {
    if (region_.is_source(wire.node)) return region_.node(wire.node).inputs[0];
    if (region_.is_turned(wire)) return wired(wire.node)[wire.slot];
    const auto known = entered_.find(wire);
    if (known != entered_.end()) return known->second;
    const OutletId made = transposed(turned_name(wire), wire, region_.inverse());
    return entered_.emplace(wire, made).first->second;
  }
  /// The outputs of a member's permuted node.
  const OutletIds& wired(std::uint32_t id) {
    if (const auto known = wired_.find(id); known != wired_.end()) return known->second;
    const PermutedNode& member = region_.members().at(id);
    const std::string& name = region_.node(id).name;
    OutletIds inputs = region_.node(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& [is_turned, instead] = member.operands[i];
      if (instead) {
        inputs[i] = patch_.constant(cat(name, ".operand", i), *instead);
        if (is_turned) inputs[i] = transposed(cat(name, ".turned"), inputs[i], region_.inverse());
      } else if (is_turned) {
        inputs[i] = turned(inputs[i]);
      }
    }
    return wired_.emplace(id, patch_.wire(name, member.op, inputs)).first->second;
  }
  std::string turned_name(OutletId wire) const {
    return cat(region_.node(wire.node).name, ".transposed");
  }

  const TurnedRegion& region_;
  Patch patch_;
  std::map<OutletId, OutletId> entered_;
  std::map<std::uint32_t, OutletIds> wired_;
};

}  // namespace

Rewrite move_transposes(const NodeView& node, const Limits&) {
  const auto perm = transposition(node);
  if (perm && comes_from_window(node)) {
    TurnedRegion region(node.model, *perm);
    region.begin_behind(node);
    if (gain_of(region) > 0) return PermutedRegion(region).patch();
  }
  if (perm && feeds_window(node)) {
    TurnedRegion region(node.model, inverse(*perm));
    region.begin_before(node);
    if (gain_of(region) > 0) return PermutedRegion(region).patch();
  }
  return no_change;
}

}  // namespace strata
