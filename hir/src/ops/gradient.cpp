#include "strata/hir/ops/gradient.h"

#include <algorithm>
#include <map>

#include "ops/arithmetic.h"
#include "ops/gradient_rules.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/wire_map.h"
#include "strata/hir/body.h"

namespace strata::hir {
namespace {

OutletId filled_like(Builder& b, double value, OutletId like) {
  return b.one(Expand{}, {b.scalar(value, b.fact(like).dtype), b.one(ShapeOf{}, {like})});
}

/// A node of the body as it is wired again.
struct WiredNode {
  TypedOp op;
  OutletIds inputs;
  OutletIds outputs;
};

/// The body's nodes wired into `b` in order, and what its wires became.
struct WiredBody {
  std::vector<WiredNode> nodes;
  OutletId output;
};

WiredBody wire_body(Builder& b, const TypedModel& body, const OutletIds& inputs) {
  WireMap wires(body.nodes().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) wires.set(body.inputs()[i].node, {inputs[i]});
  WiredBody out;
  out.output = copy_nodes(body, wires, [&](std::uint32_t id, const OutletIds& in) {
    const TypedOp& op = body.node(id).op;
    OutletIds made = b.wire(op, in);
    out.nodes.push_back({op, in, made});
    return made;
  })[0];
  return out;
}

/// Gradients by wires, added up as readers of a wire are passed.
class Backward {
 public:
  Backward(Builder& b, const WiredBody& body, const OutletIds& variables) : b_(b) {
    for (const OutletId variable : variables) depends_[variable] = true;
    for (const WiredNode& node : body.nodes) {
      const bool depends = std::any_of(node.inputs.begin(), node.inputs.end(),
                                       [&](OutletId input) { return needs(input); });
      for (const OutletId output : node.outputs)
        if (depends && is_differentiable(output)) depends_[output] = true;
    }
    add(body.output, filled_like(b, 1, body.output));
    for (auto node = body.nodes.rbegin(); node != body.nodes.rend(); ++node) pass(*node);
  }

  OutletId of(OutletId variable) const {
    const auto found = gradients_.find(variable);
    return found == gradients_.end() ? filled_like(b_, 0, variable) : found->second;
  }

 private:
  bool needs(OutletId wire) const { return depends_.contains(wire); }
  bool is_differentiable(OutletId wire) const {
    return b_.fact(wire).is_tensor() && is_float(b_.fact(wire).dtype);
  }

  void add(OutletId wire, OutletId gradient) {
    const auto [known, is_new] = gradients_.emplace(wire, gradient);
    if (!is_new) known->second = strata::add(b_, known->second, gradient);
  }

  void pass(const WiredNode& node) {
    std::vector<bool> needed;
    for (const OutletId input : node.inputs) needed.push_back(needs(input));
    for (const OutletId output : node.outputs) {
      const auto found = gradients_.find(output);
      if (!needs(output) || found == gradients_.end()) continue;
      require(node.outputs.size() == 1, ErrorKind::unsupported, "the gradient of ",
              node.op.display_name(), " is not supported");
      const OutletIds gradients =
          input_gradients(b_, {node.op, node.inputs, needed, output, found->second});
      for (std::size_t i = 0; i < gradients.size(); ++i)
        if (!gradients[i].is_absent()) add(node.inputs[i], gradients[i]);
    }
  }

  Builder& b_;
  std::map<OutletId, bool> depends_;
  std::map<OutletId, OutletId> gradients_;
};

}  // namespace

void Gradient::rules(Rules& r) const {
  for (std::size_t i = 0; i < variables && i < r.output_count(); ++i) {
    r.require(r.output(i, "gradient").dtype == r.input(i, "x").dtype);
    r.require(r.output(i, "gradient").shape == r.input(i, "x").shape);
  }
}

OutletIds Gradient::wire(Builder& b, const OutletIds& in) const {
  std::vector<Fact> facts;
  OutletIds wires;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Fact& fact = b.fact(in[i]);
    // A variable stays an input although its value may be known.
    facts.push_back(i < own_inputs ? fact.without_value() : fact);
    if (!facts.back().constant()) wires.push_back(in[i]);
  }
  const TypedModel model = expand_body(*body, facts, b.target().symbol_scope());
  require(wires.size() == model.inputs().size(), ErrorKind::internal, "the body has ",
          model.inputs().size(), " inputs for ", wires.size(), " wires");
  const OutletIds by(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(variables));
  const Backward backward(b, wire_body(b, model, wires), by);
  OutletIds out;
  for (const OutletId variable : by) out.push_back(backward.of(variable));
  return out;
}

}  // namespace strata::hir
