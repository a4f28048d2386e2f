#include <algorithm>

#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/rules.h"
#include "kernel_ops/unary_kernel.h"

namespace strata {
namespace {

/// Scalar functions on the wires they read, which lie elsewhere: those of a node, or of several.
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
  Piece(const OutletIds& read, const std::vector<FusedStep>& steps) : wires(read), listed_(steps) {}

  /// The steps; none where the node does more, or something else.
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

/// The two pieces as one, in which `inner` makes `wire` for `outer`. Wires of the shape of `node`,
/// whose result it is, come first, for one of them may be written over.
class Joined {
 public:
  Joined(const NodeView& node, const Piece& inner, const Piece& outer, OutletId wire) {
    for (const bool is_whole : {true, false})
      for (const Piece* piece : {&inner, &outer})
        for (const OutletId w : piece->wires)
          if (w != wire && (node.model.fact(w).shape == node.output_fact().shape) == is_whole &&
              std::find(wires.begin(), wires.end(), w) == wires.end())
            wires.push_back(w);
    steps.reserve(inner.steps().size() + outer.steps().size());
    add(inner, kAbsent, 0);
    add(outer, wire, steps.size() - 1);
  }

  OutletIds wires;
  std::vector<FusedStep> steps;

 private:
  /// Appends the steps of a piece; `made` is the wire that step `maker` makes.
  void add(const Piece& piece, OutletId made, std::size_t maker) {
    const std::size_t first = steps.size();
    const auto moved = [&](std::size_t operand) {
      if (operand >= piece.wires.size()) return wires.size() + first + operand - piece.wires.size();
      const OutletId wire = piece.wires[operand];
      if (wire == made) return wires.size() + maker;
      return static_cast<std::size_t>(std::find(wires.begin(), wires.end(), wire) - wires.begin());
    };
    for (FusedStep step : piece.steps()) {
      step.a = moved(step.a);
      if (step.binary) step.b = moved(step.b);
      steps.push_back(step);
    }
  }
};

/// Nothing where they are no functions, or too many for one op.
std::optional<Joined> joined(const NodeView& node, const Piece& inner, const Piece& outer,
                             OutletId wire) {
  const std::size_t made = inner.steps().size(), used = outer.steps().size();
  if (made == 0 || used == 0 || made + used > FusedProgram::kMostSteps) return std::nullopt;
  Joined both(node, inner, outer, wire);
  return both.wires.size() <= FusedProgram::kMostInputs ? std::optional(std::move(both))
                                                        : std::nullopt;
}

/// The only reader of the node, if what this one computes is all that it could take in.
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

/// The node as one op; nothing where that needs too many buffers.
Rewrite replaced(const NodeView& node, Joined&& by) {
  auto program = FusedProgram::if_it_fits(by.wires.size(), std::move(by.steps));
  if (!program) return no_change;
  return replace(node, FusedElementwise{*std::move(program), Piece(node).isa}, by.wires);
}

/// The node as one op, together with those behind it that only follow.
Rewrite fused(const NodeView& node, Joined&& by) {
  Joined run = by;
  std::uint32_t last = node.id;
  while (const auto next = taker({node.model, last})) {
    const NodeView reader{node.model, *next};
    auto longer = joined(reader, {run.wires, run.steps}, Piece(reader), {last, 0});
    if (!longer) break;
    run = *std::move(longer);
    last = reader.id;
  }
  if (last != node.id)
    if (Rewrite whole = replaced({node.model, last}, std::move(run))) return whole;
  return replaced(node, std::move(by));
}

}  // namespace

/// f(g(x..), y..)  ->  FusedElementwise(x.., y..), where f and g are scalar functions with results
/// of one shape and nobody else reads g's; a run of them at once
Rewrite fuse_elementwise(const NodeView& node, const Target&) {
  const Piece outer(node);
  if (outer.steps().empty()) return no_change;
  for (const OutletId wire : node.inputs()) {
    if (!may_take(node, wire)) continue;
    auto both = joined(node, Piece({node.model, wire.node}), outer, wire);
    if (!both) continue;
    if (Rewrite found = fused(node, *std::move(both))) return found;
  }
  return no_change;
}

}  // namespace strata
