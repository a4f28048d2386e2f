#include "strata/hir/inference_model.h"

#include <algorithm>

#include "declared_parts.h"
#include "expand.h"
#include "strata/core/wire_map.h"
#include "trial.h"

namespace strata::hir {
namespace {

/// A constant of the file.
struct ConstSource {
  static constexpr std::string_view name = "Const";
  std::shared_ptr<const Value> value;
  static constexpr auto attributes() { return std::tuple{attr("value", &ConstSource::value)}; }
  OutletIds wire(Builder& b, const OutletIds&) const { return {b.constant(value)}; }
};
static_assert(InferenceOpDef<ConstSource>);

/// Whether analysis knows no size of the wire that wiring did not find.
bool has_no_more(const PartialShape& known, const ShapeFact& found) {
  if (found.is_open() || known.size() != found.rank()) return false;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] && *known[i] != found[i]) return false;
  return true;
}

/// Adds what analysis knows of a wire to the fact that wiring found. Returns whether that changed
/// the fact.
bool refine(TypedModel& model, OutletId wire, const InferenceFact& known) {
  const Fact& found = model.fact(wire);
  if (!found.is_tensor() || !known.shape || has_no_more(*known.shape, found.shape)) return false;
  const FreshSymbols fresh(model.symbols());
  const auto typed = known.typed();
  if (!typed || typed->dtype != found.dtype) return false;
  model.set_fact(wire, meet(found, typed->without_value()));
  return true;
}

/// Whether a tensor of this fact may have a single element.
bool may_be_one_element(const InferenceFact& fact) {
  return !fact.shape || std::ranges::all_of(*fact.shape, [](const std::optional<Dim>& dim) {
    return !dim || dim->constant().value_or(1) == 1;
  });
}

/// Names the nodes from `first` on, which `node` was expanded into: the one that makes its first
/// output gets its name, the others a name derived from it.
void name_parts(TypedModel& model, std::uint32_t first, const InferenceNode& node,
                const OutletIds& wires) {
  const std::uint32_t main = wires.empty() ? first : wires[0].node;
  for (std::uint32_t id = first; id < model.nodes().size(); ++id)
    if (id == main)
      model.name_like(id, node.name);
    else if (model.node(id).name.empty())
      model.name_like(id, part_name(node.name, model.node(id).op));
}

/// The model that nodes are expanded into. Nodes without a name are named by `name_parts` later.
class Expansion final : public Wiring {
 public:
  explicit Expansion(TypedModel& model) : model_(model) {}
  const Fact& fact_of(OutletId outlet) const override { return model_.fact(outlet); }
  OutletIds wire(std::string_view name, TypedOp op, const OutletIds& inputs) override {
    return name.empty() ? model_.wire_unnamed(std::move(op), inputs)
                        : model_.wire(name, std::move(op), inputs);
  }
  const std::shared_ptr<SymbolScope>& symbol_scope() const override {
    return model_.symbol_scope();
  }
  bool needs_names() const override { return false; }

  /// Expands a node of `model`, and adds to its outputs what analysis knows of them. `trial` is the
  /// expansion that analysis has kept, or null.
  OutletIds expand(const InferenceModel& model, std::uint32_t id, const Trial* trial,
                   const OutletIds& inputs) {
    const InferenceNode& node = model.node(id);
    const auto first = static_cast<std::uint32_t>(model_.nodes().size());
    try {
      const auto repeated = trial ? repeat(*trial, inputs) : std::nullopt;
      OutletIds made = repeated ? *repeated : wire_node(model, id, *this, inputs);
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
        if (!made[slot].is_absent() && refine(model_, made[slot], node.outputs[slot].fact))
          declare_parts(model_, made[slot]);
      name_parts(model_, first, node, made);
      return made;
    } catch (Error& error) {
      throw error.in(model.place_text(id));
    }
  }

 private:
  /// Repeats the expansion that analysis tried; nothing if the facts of the inputs have changed
  /// since.
  std::optional<OutletIds> repeat(const Trial& trial, const OutletIds& inputs) {
    OutletIds given;
    for (const OutletId input : inputs)
      if (!input.is_absent()) given.push_back(input);
    const bool is_same =
        std::equal(given.begin(), given.end(), trial.inputs.begin(), trial.inputs.end(),
                   [&](OutletId input, const Fact& fact) { return model_.fact(input) == fact; });
    if (!is_same || !take_symbols(trial)) return std::nullopt;
    const auto first = static_cast<std::uint32_t>(model_.nodes().size());
    for (const Trial::Part& part : trial.parts) {
      OutletIds wires = trial.placed(part.inputs, given, first);
      if (part.name.empty())
        model_.add_unnamed_node(part.op, std::move(wires), part.facts);
      else
        model_.add_node_like(part.name, part.op, std::move(wires), part.facts);
    }
    return trial.placed(trial.outputs, given, first);
  }

  /// The symbols of a trial were freed after analysis. They can be used if the scope has not handed
  /// them out since; it then continues after them.
  bool take_symbols(const Trial& trial) {
    if (trial.first_symbol == trial.end_symbol) return true;
    SymbolScope& symbols = model_.symbols();
    if (symbols.fresh_count() > trial.first_symbol) return false;
    while (symbols.fresh_count() < trial.end_symbol) symbols.fresh();
    return true;
  }

  TypedModel& model_;
};

/// Limits how many nodes of bodies are expanded in one conversion. A loop expands its body again
/// whenever it learns more about it, and so do the loops in that body: a few of them, nested
/// deeply, would take for ever.
class ExpandedBodies {
 public:
  ExpandedBodies() {
    if (depth_++ == 0) nodes_ = 0;
  }
  ~ExpandedBodies() { --depth_; }
  ExpandedBodies(const ExpandedBodies&) = delete;
  ExpandedBodies& operator=(const ExpandedBodies&) = delete;

  void add(std::size_t nodes) const {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    if (depth_ > 1) nodes_ += nodes;
    require(nodes_ <= kMost, ErrorKind::limit, "nested bodies expand to more than ", kMost,
            " nodes, one time after the other");
  }

 private:
  static thread_local int depth_;  ///< of nested calls on this thread
  static thread_local std::size_t nodes_;
};

thread_local int ExpandedBodies::depth_ = 0;
thread_local std::size_t ExpandedBodies::nodes_ = 0;

/// Keeps the symbols of the shape from being handed out as fresh ones.
void reserve_symbols(SymbolScope& symbols, const InferenceFact& fact) {
  if (!fact.shape) return;
  for (const auto& dim : *fact.shape)
    if (dim) symbols.reserve_symbols(*dim);
}

/// The facts of a node with one output.
std::vector<InferenceFact> only(InferenceFact fact) {
  std::vector<InferenceFact> facts;
  facts.push_back(std::move(fact));
  return facts;
}

}  // namespace

InferenceModel::InferenceModel(const InferenceModel& other)
    : Graph(other),
      symbols_(std::make_shared<SymbolScope>(*other.symbols_)),
      places_(other.places_),
      wanted_outputs_(other.wanted_outputs_),
      declarations_(other.declarations_),
      defaults_(other.defaults_) {}  // not trials_, whose bodies are in the other's scope
InferenceModel::InferenceModel(InferenceModel&&) noexcept = default;
InferenceModel& InferenceModel::operator=(const InferenceModel& other) {
  return *this = InferenceModel(other);
}
InferenceModel& InferenceModel::operator=(InferenceModel&&) noexcept = default;
InferenceModel::~InferenceModel() = default;

OutletId InferenceModel::add_source(std::string_view name, InferenceFact fact) {
  reserve_symbols(*symbols_, fact);
  const std::uint32_t id = add_node(std::string(name), Source{}, {}, only(std::move(fact)));
  add_input({id, 0});
  return {id, 0};
}

OutletId InferenceModel::add_const(std::string_view name, Value value) {
  auto shared = std::make_shared<const Value>(std::move(value));
  InferenceFact fact = InferenceFact::of(shared);
  return {add_node_like(name, ConstSource{std::move(shared)}, {}, only(std::move(fact))), 0};
}

void InferenceModel::make_input(std::string_view name) {
  const auto at = std::find_if(defaults_.begin(), defaults_.end(),
                               [&](const DefaultInput& input) { return input.name == name; });
  require(at != defaults_.end(), ErrorKind::invalid_argument, "the file has no value for an input ",
          in_quotes(name));
  const OutletId wire = at->constant;
  reserve_symbols(*symbols_, at->declared);
  set_op(wire.node, Source{});
  set_fact(wire, std::move(at->declared));
  add_input(wire);
  defaults_.erase(at);
}

void InferenceModel::set_place(std::uint32_t node, FilePlace place) {
  if (places_.size() <= node) places_.resize(node + 1);
  places_[node] = std::move(place);
}

const FilePlace* InferenceModel::place(std::uint32_t node) const {
  return node < places_.size() && places_[node].origin ? &places_[node] : nullptr;
}

void InferenceModel::declare(Declaration declaration) {
  check_declared(*this, declaration, fact(declaration.wire));
  declarations_.push_back(std::move(declaration));
}

void InferenceModel::forget_output_shapes() {
  for (const GraphOutput& output : outputs()) {
    const InferenceNode& node = nodes_[output.outlet.node];
    if (node.op.as<Source>() || is_constant(node)) continue;
    set_fact(output.outlet, without_shapes(fact(output.outlet)));
  }
  for (Declaration& declaration : declarations_)
    declaration.fact = without_shapes(std::move(declaration.fact));
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    std::vector<InferenceBody> bodies = nodes_[id].op.bodies();
    for (InferenceBody& body : bodies) {
      body = std::make_shared<InferenceModel>(*body);
      body->forget_output_shapes();
    }
    if (!bodies.empty()) set_op(id, nodes_[id].op.with_bodies(bodies));
  }
}

void InferenceModel::set_wanted_outputs(std::uint32_t node, std::size_t count) {
  wanted_outputs_[node] = count;
}

std::size_t InferenceModel::wanted_outputs(std::uint32_t node) const {
  const auto known = wanted_outputs_.find(node);
  return known == wanted_outputs_.end() ? nodes_[node].outputs.size() : known->second;
}

std::string InferenceModel::op_type(std::uint32_t node) const {
  const FilePlace* known = place(node);
  return known ? known->origin->op_type : std::string(nodes_[node].op.name());
}

std::string InferenceModel::origin(std::uint32_t node) const {
  const FilePlace* known = place(node);
  return known ? known->origin->text : std::string();
}

std::string InferenceModel::place_text(std::uint32_t node) const {
  const std::string named = cat(op_type(node), ' ', in_quotes(nodes_[node].name));
  const FilePlace* known = place(node);
  return known ? cat(named, " (node ", known->number, ", ", known->origin->text, ')') : named;
}

bool is_constant(const InferenceNode& node) { return node.op.as<ConstSource>() != nullptr; }

void check_declared(const InferenceModel& model, const Declaration& declared,
                    const InferenceFact& found) {
  try {
    const bool passes =
        declared.may_be_condition && may_be_one_element(declared.fact) && may_be_one_element(found);
    merge(passes ? without_shapes(declared.fact) : declared.fact, found);
  } catch (const Error& reason) {
    const InferenceNode& node = model.node(declared.wire.node);
    Error error(ErrorKind::invalid_model, cat(declared.called, " is declared ", declared.fact,
                                              ", inferred is ", found, ": ", reason.message()));
    const bool is_given = node.op.as<Source>() || is_constant(node);
    throw is_given ? error : error.in(model.place_text(declared.wire.node));
  }
}

const std::string& InferenceModel::input_name(std::size_t i) const {
  require(i < inputs().size(), ErrorKind::invalid_argument, "input ", i, " of a model that has ",
          inputs().size());
  return nodes_[inputs()[i].node].name;
}

OutletIds wire_node(const InferenceModel& model, std::uint32_t id, Wiring& target,
                    const OutletIds& inputs) {
  const InferenceNode& node = model.node(id);
  Builder builder(target, node.name);
  OutletIds wires = node.op.wire(builder, inputs);
  const std::size_t wanted = model.wanted_outputs(id);
  require(wires.size() >= wanted, ErrorKind::invalid_model, "the node has ",
          counted(wanted, "output"), ", the op ", wires.size());
  wires.resize(std::max(wires.size(), node.outputs.size()), kAbsent);
  return wires;
}

TypedModel InferenceModel::to_typed() const {
  std::vector<Fact> facts;
  for (const OutletId input : inputs()) {
    const FreshSymbols fresh(*symbols_);
    const auto fact = nodes_[input.node].outputs[0].fact.typed();
    check(fact.has_value(), "the type of input ", in_quotes(nodes_[input.node].name),
          " is not known");
    facts.push_back(fact->without_value());
  }
  return expand(facts, symbols_);
}

TypedModel InferenceModel::expand(const std::vector<Fact>& inputs,
                                  std::shared_ptr<SymbolScope> symbols) const {
  const ExpandedBodies expanded;
  expanded.add(nodes_.size());
  const Trials* trials = symbols == symbols_ ? trials_.get() : nullptr;
  TypedModel out(std::move(symbols));
  out.expect_nodes(nodes_.size() + nodes_.size() / 2);  // many have parts
  Expansion target(out);
  WireMap wires(nodes_.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t source = this->inputs()[i].node;
    const std::string& name = nodes_[source].name;
    wires.set(source, {inputs[i].constant() ? out.constant(name, inputs[i].value)
                                            : out.add_source(name, inputs[i])});
  }
  for (const std::uint32_t id : order()) {
    const InferenceNode& node = nodes_[id];
    if (node.op.as<Source>()) continue;
    const Trial* trial = trials && !node.is_stale ? trials->of(id) : nullptr;
    wires.set(id, target.expand(*this, id, trial, wires[node.inputs]));
  }
  for (const Declaration& declared : declarations_) {
    const OutletId wire = wires[declared.wire];
    if (!wire.is_absent()) check_declared(*this, declared, InferenceFact(out.fact(wire)));
  }
  for (const GraphOutput& output : outputs()) {
    const OutletId wire = wires[output.outlet];
    check(!wire.is_absent(), "output ", in_quotes(output.name), " is left out by its node");
    out.add_output(output.name, wire);
  }
  out.remove_dead_nodes();
  out.compact();
  return out;
}

}  // namespace strata::hir
