#include "specialise.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "keeps_state.h"
#include "own_scope.h"
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

/// Wires models again, in a new symbol scope, where more is known of their sizes.
class Rewiring {
 public:
  using Sizes = std::function<std::optional<Dim>(const Dim&)>;

  /// `known` gives what a size of the model is known to be; nothing for one that tells no more than
  /// its op does. Without it, bodies stay as general as they are.
  explicit Rewiring(std::shared_ptr<SymbolScope> scope, Sizes known = nullptr)
      : scope_(std::move(scope)), known_(std::move(known)) {}

  /// The model for inputs of these facts. Throws: what ops say when the facts do not fit, or make
  /// what the model does not say.
  TypedModel run(const TypedModel& model, const FactList& inputs) const {
    TypedModel out(scope_);
    WireMap wires(model.nodes().size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      wires.set(model.inputs()[i].node, {out.add_source(model.input_name(i), inputs[i])});
    const OutletIds outputs = copy_nodes(model, wires, [&](std::uint32_t id, const OutletIds& in) {
      const TypedNode& node = model.node(id);
      OutletIds made = out.wire(node.name, with_bodies(node.op, out, in), in);
      for (const OutletId& wire : made) learn(out, wire, model.fact({id, wire.slot}));
      return made;
    });
    add_outputs(out, model, outputs);
    return out;
  }

  /// What is known of the inputs of a model.
  FactList known_inputs(const TypedModel& body) const {
    FactList facts = input_facts(body);
    for (Fact& fact : facts)
      if (fact.is_tensor()) fact.shape = known(fact.shape, fact.shape);
    return facts;
  }

 private:
  /// What is known of `shape`, with the sizes of `otherwise` where that is nothing.
  ShapeFact known(const ShapeFact& shape, const ShapeFact& otherwise) const {
    if (!known_ || shape.is_open()) return shape;
    std::vector<Dim> dims = shape.dims();
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      dims[axis] = known_(dims[axis]).value_or(otherwise[axis]);
    return dims;
  }

  /// Adds what the model says of a wire to what its op infers.
  void learn(TypedModel& out, OutletId wire, const Fact& said) const {
    if (!said.is_tensor()) return;
    const ShapeFact& made = out.fact(wire).shape;
    const ShapeFact& rest =
        made.is_known() && said.shape.is_known() && made.rank() == said.shape.rank() ? made
                                                                                     : said.shape;
    out.set_fact(wire, meet(out.fact(wire), Fact::tensor(said.dtype, known(said.shape, rest))));
  }

  TypedOp with_bodies(const TypedOp& op, const TypedModel& outer, const OutletIds& in) const {
    std::vector<Body> bodies = op.bodies();
    if (bodies.empty()) return op;
    for (Body& body : bodies)
      body = std::make_shared<TypedModel>(
          fitted(*body, op.as<If>() && known_ ? captured_facts(outer, in) : known_inputs(*body)));
    return op.with_bodies(bodies);
  }

  /// A body rewired for inputs of these facts. One that they do not fit stays as general as it was,
  /// since it may never run.
  TypedModel fitted(const TypedModel& body, const FactList& inputs) const {
    if (!known_) return run(body, inputs);
    try {
      return run(body, inputs);
    } catch (const Error&) {
      return Rewiring(scope_).run(body, input_facts(body));
    }
  }

  /// What the branches of an If are given.
  static FactList captured_facts(const TypedModel& outer, const OutletIds& in) {
    FactList facts;
    for (std::size_t i = 1; i < in.size(); ++i) facts.push_back(outer.fact(in[i]).without_value());
    return facts;
  }

  std::shared_ptr<SymbolScope> scope_;
  Sizes known_;
};

/// Names for the sizes of a body's inputs that are expressions of untold symbols: of symbols that
/// are the size of no input by themselves.
class UntoldSizes {
 public:
  UntoldSizes(const TypedModel& body, SymbolScope& scope) {
    std::vector<Dim> sizes;
    for (const Fact& fact : input_facts(body))
      if (fact.is_tensor() && !fact.shape.is_open())
        sizes.insert(sizes.end(), fact.shape.dims().begin(), fact.shape.dims().end());
    for (const Dim& size : sizes)
      if (const std::string* symbol = size.as_symbol()) told_.push_back(*symbol);
    std::sort(told_.begin(), told_.end());
    for (const Dim& size : sizes)
      if (named_.size() <= kMost && is_untold(size) && !name_of(size))
        named_.push_back({size, scope.fresh()});
  }

  /// Whether there are none, or too many.
  bool is_of_no_use() const { return named_.empty() || named_.size() > kMost; }

  /// The size, by its name if it has one; nothing for another one of untold symbols.
  std::optional<Dim> named(const Dim& size) const {
    if (const Dim* name = name_of(size)) return *name;
    return is_untold(size) ? std::nullopt : std::optional(size);
  }

 private:
  struct Named {
    Dim size;
    Dim name;
  };

  bool is_untold(const Dim& size) const {
    return size.any_symbol([&](const std::string& symbol) {
      return !std::binary_search(told_.begin(), told_.end(), symbol);
    });
  }
  const Dim* name_of(const Dim& size) const {
    const auto found = std::ranges::find(named_, size, &Named::size);
    return found == named_.end() ? nullptr : &found->name;
  }

  static constexpr std::size_t kMost = 256;  ///< that are looked through for each size of the body

  std::vector<std::string> told_;  ///< sorted
  std::vector<Named> named_;
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
    const auto known = [&](const Dim& size) -> std::optional<Dim> {
      if (const auto number = resolved(size, symbols.values())) return *number;
      return size;
    };
    TypedModel out = Rewiring(own_scope(model), known).run(model, facts);
    declutter(out, limits);
    optimise(out, target_of(model), limits);
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Body with_sizes_told(const Body& body) {
  const std::shared_ptr<SymbolScope> scope = own_scope(*body);
  const UntoldSizes untold(*body, *scope);
  if (untold.is_of_no_use()) return body;
  try {
    const Rewiring rewiring(scope, [&](const Dim& size) { return untold.named(size); });
    auto out = std::make_shared<TypedModel>(rewiring.run(*body, rewiring.known_inputs(*body)));
    if (body->target()) out->set_target(body->target());
    return out;
  } catch (const Error&) {
    return body;
  }
}

}  // namespace strata
