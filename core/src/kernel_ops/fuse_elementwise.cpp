#include <algorithm>

#include "kernel_ops/binary_kernel.h"
#include "kernel_ops/fused_elementwise.h"
#include "kernel_ops/unary_kernel.h"

namespace strata {
namespace {

/// A node's scalar functions on the wires it reads.
struct Piece {
  explicit Piece(const NodeView& node) : wires(node.inputs()) {
    if (const auto* unary = node.op().as<UnaryKernel>())
      set({.unary = unary->function.call()}, unary->isa);
    else if (const auto* binary = node.op().as<BinaryKernel>())
      set({.binary = binary->op, .b = 1}, binary->isa);
    else if (const auto* fused = node.op().as<FusedElementwise>())
      program = &fused->program, isa = fused->isa;
  }
  /// The steps; none where the node does more, or something else.
  std::span<const FusedStep> steps() const {
    if (program) return program->steps();
    return {&only, has_one ? 1U : 0U};
  }

  const OutletIds& wires;
  Isa isa = Isa::baseline;

 private:
  void set(const FusedStep& step, Isa step_isa) {
    only = step;
    has_one = true;
    isa = step_isa;
  }

  FusedStep only;
  bool has_one = false;
  const FusedProgram* program = nullptr;
};

/// Whether nobody but `node` reads the outlet.
bool reads_alone(const NodeView& node, OutletId outlet) {
  const auto& readers = node.model.successors(outlet);
  return !node.model.is_output(outlet) &&
         std::all_of(readers.begin(), readers.end(),
                     [&](const InletId reader) { return reader.node == node.id; });
}

/// The two pieces as one, in which `inner` makes `wire` for `outer`. Wires of the shape `shape`
/// come first, for one of them may be written over.
class Joined {
 public:
  Joined(const NodeView& node, const Piece& inner, const Piece& outer, OutletId wire)
      : model_(node.model), shape_(node.output_fact().shape) {
    for (const Piece* piece : {&inner, &outer})
      for (const OutletId w : piece->wires)
        if (w != wire && std::find(wires.begin(), wires.end(), w) == wires.end())
          wires.push_back(w);
    steps.reserve(inner.steps().size() + outer.steps().size());
    std::stable_partition(wires.begin(), wires.end(),
                          [&](OutletId w) { return model_.fact(w).shape == shape_; });
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

  const TypedModel& model_;
  const ShapeFact& shape_;
};

}  // namespace

/// f(g(x..), y..)  ->  FusedElementwise(x.., y..), where f and g are scalar functions with results
/// of one shape and nobody else reads g's
Rewrite fuse_elementwise(const NodeView& node, const Target&) {
  const Piece outer(node);
  if (outer.steps().empty()) return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const OutletId wire = node.input(i);
    if (wire.is_absent() || node.model.fact(wire).shape != shape || shape.is_open() ||
        !reads_alone(node, wire))
      continue;
    const Piece inner(node.producer(i));
    if (inner.steps().empty() ||
        inner.steps().size() + outer.steps().size() > FusedProgram::kMostSteps)
      continue;
    Joined joined(node, inner, outer, wire);
    const std::size_t inputs = joined.wires.size();
    if (inputs > FusedProgram::kMostInputs) continue;
    try {
      return replace(node, FusedElementwise{{inputs, std::move(joined.steps)}, outer.isa},
                     joined.wires);
    } catch (const Error&) {
      continue;  // it needs too many buffers
    }
  }
  return no_change;
}

}  // namespace strata
