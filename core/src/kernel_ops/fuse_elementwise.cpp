#include <algorithm>

#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/unary_kernel.h"

namespace strata {
namespace {

/// The scalar functions of one node, or of several, and the wires they read. Refers to the node.
class Piece {
 public:
  explicit Piece(const NodeView& node) : wires(node.inputs()) {
    if (const auto* unary = node.op().as<UnaryKernel>())
      set({.unary = unary->function.call()}, unary->isa);
    else if (const auto* binary = node.op().as<BinaryKernel>())
      set({.binary = binary->op, .b = 1}, binary->isa);
    else if (const auto* fused = node.op().as<FusedElementwise>())
      listed_ = fused->program.steps(), isa = fused->isa;
  }

  /// The steps; empty if the node is not made of scalar functions alone.
  std::span<const FusedStep> steps() const {
    return has_one_ ? std::span<const FusedStep>(&only_, 1) : listed_;
  }

  const OutletIds& wires;
  Isa isa = Isa::baseline;

 private:
  void set(const FusedStep& step, Isa step_isa) {
    only_ = step;
    has_one_ = true;
    isa = step_isa;
  }

  FusedStep only_;
  bool has_one_ = false;
  std::span<const FusedStep> listed_;
};

/// Whether nobody but `node` reads the outlet.
bool reads_alone(const NodeView& node, OutletId outlet) {
  const auto& readers = node.model.successors(outlet);
  return !node.model.is_output(outlet) &&
         std::all_of(readers.begin(), readers.end(),
                     [&](const InletId reader) { return reader.node == node.id; });
}

/// Whether what makes the wire may be computed by the node, as far as the wire tells.
bool may_take(const NodeView& node, OutletId wire) {
  const ShapeFact& shape = node.output_fact().shape;
  return !shape.is_open() && node.model.fact(wire).shape == shape && reads_alone(node, wire);
}

/// A sequence of pieces, each of which reads the result of the one before.
class Chain {
 public:
  /// Adds a piece that computes with `taken`, which the last one makes. Returns whether it is one
  /// and all together are not too many for one op.
  bool add(const Piece& piece, OutletId taken) {
    const std::size_t steps = steps_ + piece.steps().size();
    if (piece.steps().empty() || steps > FusedProgram::kMostSteps) return false;
    OutletIds wires = wires_;
    for (const OutletId wire : piece.wires)
      if (wire != taken && std::find(wires.begin(), wires.end(), wire) == wires.end())
        wires.push_back(wire);
    if (wires.size() > FusedProgram::kMostInputs) return false;
    wires_ = std::move(wires);
    steps_ = steps;
    links_.push_back({piece, taken});
    return true;
  }

  /// The chain as `node`, its last, in one op; nothing where that needs too many buffers.
  Rewrite replace(const NodeView& node) const {
    // Inputs of the result's shape come first, since the first one may be overwritten.
    OutletIds wires;
    for (const bool is_whole : {true, false})
      for (const OutletId wire : wires_)
        if ((node.model.fact(wire).shape == node.output_fact().shape) == is_whole)
          wires.push_back(wire);
    auto program = FusedProgram::if_it_fits(wires.size(), steps_on(wires));
    if (!program) return no_change;
    const Isa isa = links_.back().piece.isa;
    return strata::replace(node, FusedElementwise{*std::move(program), isa}, wires);
  }

 private:
  struct Link {
    Piece piece;
    OutletId taken;
  };

  /// All steps, for a program with these inputs.
  std::vector<FusedStep> steps_on(const OutletIds& wires) const {
    std::vector<FusedStep> steps;
    steps.reserve(steps_);
    for (const auto& [piece, taken] : links_) {
      const std::size_t first = steps.size();
      const auto moved = [&](std::size_t operand) {
        if (operand >= piece.wires.size())
          return wires.size() + first + operand - piece.wires.size();
        const OutletId wire = piece.wires[operand];
        if (wire == taken) return wires.size() + first - 1;
        return static_cast<std::size_t>(std::find(wires.begin(), wires.end(), wire) -
                                        wires.begin());
      };
      for (FusedStep step : piece.steps()) {
        step.a = moved(step.a);
        if (step.binary) step.b = moved(step.b);
        steps.push_back(step);
      }
    }
    return steps;
  }

  std::vector<Link> links_;
  OutletIds wires_;  ///< that it reads, each once
  std::size_t steps_ = 0;
};

/// The only reader of the node, if the node is the only producer that it could be fused with.
std::optional<std::uint32_t> taker(const NodeView& node) {
  const OutletId wire = node.output();
  const auto& readers = node.model.successors(wire);
  if (readers.empty()) return std::nullopt;
  const NodeView reader{node.model, readers.front().node};
  const auto is_other = [&](OutletId input) {
    return input != wire && may_take(reader, input) &&
           !Piece({node.model, input.node}).steps().empty();
  };
  const auto& inputs = reader.inputs();
  return may_take(reader, wire) && std::none_of(inputs.begin(), inputs.end(), is_other)
             ? std::optional(reader.id)
             : std::nullopt;
}

/// Fuses the chain that ends at the node, extended by the nodes after it that can only be fused
/// with it.
Rewrite fused(const NodeView& node, const Chain& chain) {
  Chain longer = chain;
  NodeView last = node;
  while (const auto next = taker(last)) {
    const NodeView reader{node.model, *next};
    if (!longer.add(Piece(reader), last.output())) break;
    last.id = reader.id;
  }
  if (last.id != node.id)
    if (Rewrite whole = longer.replace(last)) return whole;
  return chain.replace(node);
}

}  // namespace

/// f(g(x..), y..)  ->  FusedElementwise(x.., y..), where f and g are scalar functions with results
/// of one shape and nobody else reads g's; a run of them at once
Rewrite fuse_elementwise(const NodeView& node, const Target&) {
  const Piece outer(node);
  if (outer.steps().empty()) return no_change;
  for (const OutletId wire : node.inputs()) {
    if (!may_take(node, wire)) continue;
    Chain both;
    if (!both.add(Piece({node.model, wire.node}), kAbsent) || !both.add(outer, wire)) continue;
    if (Rewrite found = fused(node, both)) return found;
  }
  return no_change;
}

}  // namespace strata
