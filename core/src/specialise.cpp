#include "specialise.h"

#include <algorithm>
#include <chrono>

#include "keeps_state.h"
#include "shape_binding.h"
#include "strata/core/ops/if.h"
#include "strata/core/ops/support.h"
#include "strata/core/wire_map.h"

namespace strata {
namespace {

constexpr std::size_t kMostNodes = 4096;
/// A run with a shorter time limit may not have the time.
constexpr std::chrono::seconds kLeastTime{1};

bool has_kernels(const TypedModel& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(), [](const TypedNode& node) {
    if (node.erased) return false;
    const std::vector<Body> bodies = node.op.bodies();
    return node.op.has_kernel() || std::any_of(bodies.begin(), bodies.end(),
                                               [](const Body& body) { return has_kernels(*body); });
  });
}

FactList input_facts(const TypedModel& model) {
  FactList out;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) out.push_back(model.input_fact(i));
  return out;
}

/// Wires models again, in a new symbol scope, for known sizes of some symbols.
class Rewiring {
 public:
  Rewiring(const SymbolScope& scope, const SymbolValues& sizes)
      : scope_(std::make_shared<SymbolScope>(scope)), sizes_(sizes) {}

  /// The model for inputs of these facts. Throws: what ops say when the facts do not fit, or make
  /// what the model does not say.
  TypedModel run(const TypedModel& model, const FactList& inputs) const {
    TypedModel out(scope_);
    WireMap wires(model.nodes().size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      wires.set(model.inputs()[i].node, {out.add_source(model.input_name(i), inputs[i])});
    for (const std::uint32_t id : model.order()) {
      const TypedNode& node = model.node(id);
      if (node.op.as<Source>()) continue;
      const OutletIds in = wires[node.inputs];
      OutletIds made = out.wire(node.name, with_bodies(node.op, out, in), in);
      for (const OutletId& wire : made) check_promise(model.fact({id, wire.slot}), out.fact(wire));
      wires.set(id, std::move(made));
    }
    for (const GraphOutput& output : model.outputs())
      out.add_output(output.name, wires[output.outlet]);
    return out;
  }

 private:
  void check_promise(const Fact& said, const Fact& made) const {
    if (said.is_tensor())
      check(compatible(Fact::tensor(said.dtype, sized(said.shape, sizes_)), made),
            "the model says something else");
  }

  TypedOp with_bodies(const TypedOp& op, const TypedModel& outer, const OutletIds& in) const {
    std::vector<Body> bodies = op.bodies();
    if (bodies.empty()) return op;
    for (Body& body : bodies)
      body = std::make_shared<TypedModel>(op.as<If>() ? branch(*body, outer, in)
                                                      : run(*body, input_facts(*body)));
    return op.with_bodies(bodies);
  }

  /// A branch rewired for the facts of the captured values. One that they do not fit stays as
  /// general as it was, since it may never be taken.
  TypedModel branch(const TypedModel& body, const TypedModel& outer, const OutletIds& in) const {
    FactList facts;
    for (std::size_t i = 1; i < in.size(); ++i) facts.push_back(outer.fact(in[i]).without_value());
    try {
      return run(body, facts);
    } catch (const Error&) {
      return run(body, input_facts(body));
    }
  }

  std::shared_ptr<SymbolScope> scope_;
  const SymbolValues& sizes_;
};

}  // namespace

bool may_specialise(const TypedModel& model, const Limits& limits) {
  return limits.time.value_or(kLeastTime) >= kLeastTime && model.total_nodes() <= kMostNodes &&
         has_kernels(model) && !keeps_state(model);
}

Target target_of(const TypedModel& model) { return model.target() ? *model.target() : Target{}; }

std::optional<TypedModel> specialised(const TypedModel& model, std::span<const Shape> inputs,
                                      const Limits& limits) {
  FactList facts;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    facts.push_back(Fact::tensor(model.input_fact(i).dtype, inputs[i]));
  try {
    SymbolBinding symbols(model);
    symbols.bind(inputs);
    TypedModel out = Rewiring(*model.symbol_scope(), symbols.values()).run(model, facts);
    declutter(out, limits);
    optimise(out, target_of(model), limits);
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace strata
