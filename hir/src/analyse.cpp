#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "expand.h"
#include "strata/hir/inference_model.h"

namespace strata::hir {
namespace {

using SymbolSet = std::set<std::string, std::less<>>;

void add_symbols(const InferenceFact& fact, SymbolSet& out) {
  const auto add = [&](const Dim& dim) {
    for (std::string& symbol : dim.symbols()) out.insert(std::move(symbol));
  };
  if (fact.shape)
    for (const auto& dim : *fact.shape)
      if (dim) add(*dim);
  if (fact.value && fact.value->is_tensor() && fact.value->tensor().dtype() == DatumType::dim)
    for (const Dim& dim : fact.value->tensor().as<Dim>()) add(dim);
  if (fact.length) add(*fact.length);
  if (fact.element) add_symbols(*fact.element, out);
}

bool mentions_only(const Dim& dim, const SymbolSet& known) {
  const auto symbols = dim.symbols();
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](const std::string& s) { return known.contains(s); });
}

/// `fact` without what it says in terms of symbols made while wiring on the side.
InferenceFact without_scratch_symbols(InferenceFact fact, const SymbolSet& known) {
  if (fact.shape)
    for (auto& dim : *fact.shape)
      if (dim && !mentions_only(*dim, known)) dim.reset();
  if (fact.length && !mentions_only(*fact.length, known)) fact.length.reset();
  if (fact.value && fact.value->is_tensor() && fact.value->tensor().dtype() == DatumType::dim)
    for (const Dim& dim : fact.value->tensor().as<Dim>())
      if (!mentions_only(dim, known)) {
        fact.value.reset();
        break;
      }
  if (fact.element)
    fact.element =
        std::make_shared<const InferenceFact>(without_scratch_symbols(*fact.element, known));
  return fact;
}

/// Runs the rules of every node until no fact changes.
class Solver {
 public:
  explicit Solver(InferenceModel& model)
      : model_(model), waiting_(model.nodes().size(), false), tried_(model.nodes().size()) {}

  void run() {
    const std::vector<Declaration> told = take_told();
    for (const std::uint32_t id : model_.order()) push(id);
    settle();
    for (const auto* declarations : {&model_.declarations(), &told})
      for (const Declaration& each : *declarations)
        check_declared(model_, each, model_.fact(each.wire));
    for (const Declaration& each : told) learn(each.wire, each.fact);
    settle();
  }

 private:
  /// What is said of outputs of nodes, which the model forgets for now.
  std::vector<Declaration> take_told() {
    std::map<OutletId, std::string> names;
    for (const GraphOutput& output : model_.outputs())
      names.emplace(output.outlet, cat("output ", in_quotes(output.name)));
    std::vector<Declaration> out;
    for (std::uint32_t id = 0; id < model_.nodes().size(); ++id) {
      const InferenceNode& node = model_.node(id);
      if (node.op.as<Source>() || is_constant(node)) continue;
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        const OutletId wire{id, slot};
        if (model_.fact(wire) == InferenceFact()) continue;
        const auto name = names.find(wire);
        out.push_back(
            {wire, name == names.end() ? cat("value ", slot) : name->second, model_.fact(wire)});
        model_.set_fact(wire, {});
      }
    }
    return out;
  }

  void settle() {
    while (!worklist_.empty()) {
      const std::uint32_t id = worklist_.front();
      worklist_.pop_front();
      waiting_[id] = false;
      try {
        visit(id);
      } catch (Error& error) {
        throw error.in(place_of(model_, id));
      }
    }
  }

  void push(std::uint32_t id) {
    if (waiting_[id]) return;
    waiting_[id] = true;
    worklist_.push_back(id);
  }

  void visit(std::uint32_t id) {
    const InferenceNode& node = model_.node(id);
    if (node.op.as<Source>() || node.inputs.empty()) return try_wiring(id);
    std::vector<InferenceFact> inputs, outputs;
    std::vector<bool> present;
    for (const OutletId input : node.inputs) {
      inputs.push_back(input.is_absent() ? InferenceFact() : model_.fact(input));
      present.push_back(!input.is_absent());
    }
    for (const auto& outlet : node.outputs) outputs.push_back(outlet.fact);
    Rules rules(node.op.name(), std::move(inputs), std::move(outputs), std::move(present));
    node.op.rules(rules);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (!node.inputs[i].is_absent()) learn(node.inputs[i], rules.input_facts()[i]);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      learn({id, slot}, rules.output_facts()[slot]);
    try_wiring(id);
  }

  /// Notes what is newly known of a wire, and wakes the nodes at both of its ends.
  void learn(OutletId wire, const InferenceFact& told) {
    InferenceFact known = unify(model_.fact(wire), told);
    if (known == model_.fact(wire)) return;
    model_.set_fact(wire, std::move(known));
    push(wire.node);
    for (const InletId reader : model_.successors(wire)) push(reader.node);
  }

  /// Knowledge that flows forward: expands the node on the side and reads the facts of what comes
  /// out.
  void try_wiring(std::uint32_t id) {
    const InferenceNode& node = model_.node(id);
    if (node.op.as<Source>()) return;
    std::vector<InferenceFact> inputs;
    for (const OutletId input : node.inputs)
      inputs.push_back(input.is_absent() ? InferenceFact() : model_.fact(input));
    if (tried_[id] && *tried_[id] == inputs) return;
    TypedModel aside;
    SymbolSet known;
    OutletIds in;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_symbols(inputs[i], known);
      for (const std::string& symbol : known) aside.symbols().reserve(symbol);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const FreshSymbols fresh(aside.symbols());
      const auto fact = inputs[i].typed();
      if (!fact && !node.inputs[i].is_absent()) return;
      in.push_back(node.inputs[i].is_absent() ? kAbsent : aside.add_source(cat("in", i), *fact));
    }
    tried_[id] = std::move(inputs);
    try {
      const OutletIds wires = wire_node(node, aside, in);
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
        if (!wires[slot].is_absent())
          learn({id, slot}, without_scratch_symbols(InferenceFact(aside.fact(wires[slot])), known));
    } catch (const Error& error) {
      // What cannot be expanded yet may be once more is known; if not, to_typed says so.
      if (error.kind() != ErrorKind::unsupported) throw;
    }
  }

  InferenceModel& model_;
  std::deque<std::uint32_t> worklist_;
  std::vector<bool> waiting_;
  std::vector<std::optional<std::vector<InferenceFact>>> tried_;
};

}  // namespace

void InferenceModel::analyse(const Limits&) { Solver(*this).run(); }

}  // namespace strata::hir
