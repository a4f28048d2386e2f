#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "expand.h"
#include "fact_wiring.h"
#include "strata/hir/inference_model.h"

namespace strata::hir {
namespace {

bool has_symbols(const Fact& fact) {
  const auto is_symbolic = [](const Dim& dim) { return !dim.is_constant(); };
  if (!fact.is_tensor()) return true;  // it may have some
  if (fact.value && !fact.constant()) return true;
  return fact.shape.is_known() &&
         std::any_of(fact.shape.dims().begin(), fact.shape.dims().end(), is_symbolic);
}

/// Whether `holds` is true of any size in `fact`.
bool any_dim(const InferenceFact& fact, const std::function<bool(const Dim&)>& holds) {
  const auto holds_of = [&](const std::optional<Dim>& dim) { return dim && holds(*dim); };
  if (fact.shape && std::any_of(fact.shape->begin(), fact.shape->end(), holds_of)) return true;
  if (fact.value && fact.value->is_tensor() && fact.value->tensor().dtype() == DatumType::dim) {
    const auto dims = fact.value->tensor().as<Dim>();
    if (std::any_of(dims.begin(), dims.end(), holds)) return true;
  }
  return holds_of(fact.length) || (fact.element && any_dim(*fact.element, holds));
}

/// `fact` without the sizes for which `unknown` is true.
InferenceFact without_dims(InferenceFact fact, const std::function<bool(const Dim&)>& unknown) {
  if (fact.shape)
    for (auto& dim : *fact.shape)
      if (dim && unknown(*dim)) dim.reset();
  if (fact.length && unknown(*fact.length)) fact.length.reset();
  if (fact.value && fact.value->is_tensor() && fact.value->tensor().dtype() == DatumType::dim) {
    const auto dims = fact.value->tensor().as<Dim>();
    if (std::any_of(dims.begin(), dims.end(), unknown)) fact.value.reset();
  }
  if (fact.element)
    fact.element = std::make_shared<const InferenceFact>(without_dims(*fact.element, unknown));
  return fact;
}

/// Whether nothing is left to learn of a tensor's type and sizes.
bool is_settled(const InferenceFact& fact) {
  return fact.dtype && fact.shape &&
         std::all_of(fact.shape->begin(), fact.shape->end(),
                     [](const std::optional<Dim>& dim) { return dim && dim->is_constant(); });
}

/// Runs the rules of every node until no fact changes.
class Solver {
 public:
  explicit Solver(InferenceModel& model)
      : model_(model),
        progress_(model.nodes().size()),
        scratch_(model.symbol_scope()),
        symbols_before_(*model.symbol_scope()) {
    std::size_t wires = 0;
    for (const InferenceNode& node : model.nodes()) {
      first_wire_.push_back(wires);
      wires += node.outputs.size();
      for (const auto& outlet : node.outputs) reserve_symbols(outlet.fact);
    }
    typed_.resize(wires);
  }

  /// Symbols that trials made are free to be handed out again.
  ~Solver() { *model_.symbol_scope() = std::move(symbols_before_); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Returns the trials that hold for the final facts.
  Trials run() && {
    const std::vector<Declaration> declared_outputs = take_declared_outputs();
    for (const std::uint32_t id : model_.order()) push(id);
    settle();
    for (const auto* declarations : {&model_.declarations(), &declared_outputs})
      for (const Declaration& each : *declarations)
        check_declared(model_, each, model_.fact(each.wire));
    for (const Declaration& each : declared_outputs) learn(each.wire, each.fact);
    settle();
    return std::move(trials_);
  }

 private:
  using Symbols = std::set<std::string>;
  struct Progress {
    bool is_waiting = false;   ///< on the worklist
    bool is_untried = true;    ///< it has not been wired with the present facts of its inputs
    bool has_checked = false;  ///< its rules have run with fully known inputs
  };

  void reserve_symbols(const InferenceFact& fact) {
    any_dim(fact, [&](const Dim& dim) {
      scratch_.symbols().reserve_symbols(dim);
      return false;
    });
  }

  /// Takes what the file declares of outputs of nodes out of the model: it is checked in the end.
  std::vector<Declaration> take_declared_outputs() {
    std::map<OutletId, std::string> names;
    for (const GraphOutput& output : model_.outputs())
      names.emplace(output.outlet, cat("output ", in_quotes(output.name)));
    const InferenceFact nothing;
    std::vector<Declaration> out;
    for (std::uint32_t id = 0; id < model_.nodes().size(); ++id) {
      const InferenceNode& node = model_.node(id);
      if (node.op.as<Source>() || is_constant(node)) continue;
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        const OutletId wire{id, slot};
        if (model_.fact(wire) == nothing) continue;
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
      progress_[id].is_waiting = false;
      try {
        visit(id);
      } catch (Error& error) {
        throw error.in(model_.place_text(id));
      }
    }
  }

  void push(std::uint32_t id) {
    if (std::exchange(progress_[id].is_waiting, true)) return;
    worklist_.push_back(id);
  }

  void visit(std::uint32_t id) {
    const InferenceNode& node = model_.node(id);
    if (node.op.as<Source>() || is_constant(node)) return;
    Progress& progress = progress_[id];
    const bool are_settled = are_inputs_settled(node);
    if (are_settled && progress.is_untried) wire_before_rules(id);
    const bool is_done = progress.has_checked && are_outputs_settled(node);
    if (!node.inputs.empty() && !is_done) run_rules(id);
    progress.has_checked = are_settled;
    if (progress.is_untried) try_wiring(id);
  }

  /// With fully known inputs, wiring finds all facts of the outputs, and the rules only check them.
  void wire_before_rules(std::uint32_t id) {
    try {
      try_wiring(id);
    } catch (const Error&) {
      run_rules(id);  // an error of theirs would be clearer
      throw;
    }
  }

  bool are_inputs_settled(const InferenceNode& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const OutletId input) {
      return input.is_absent() || is_settled(model_.fact(input));
    });
  }
  static bool are_outputs_settled(const InferenceNode& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [](const auto& outlet) { return is_settled(outlet.fact); });
  }

  void run_rules(std::uint32_t id) {
    const InferenceNode& node = model_.node(id);
    Rules::FactPointers inputs, outputs;
    for (const OutletId input : node.inputs)
      inputs.push_back(input.is_absent() ? nullptr : &model_.fact(input));
    for (const auto& outlet : node.outputs) outputs.push_back(&outlet.fact);
    Rules rules(node.op.name(), inputs, outputs);
    node.op.rules(rules);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (rules.is_changed({false, i})) learn(node.inputs[i], rules.now({false, i}));
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      if (rules.is_changed({true, slot})) learn({id, slot}, rules.now({true, slot}));
  }

  /// Adds `fact` to what is known of a wire and, if that is news, wakes the nodes at both ends.
  void learn(OutletId wire, const InferenceFact& fact) {
    if (covers(model_.fact(wire), fact)) return;
    InferenceFact known = unify(model_.fact(wire), fact);
    if (known == model_.fact(wire)) return;
    model_.set_fact(wire, std::move(known));
    typed_[place_of_wire(wire)].reset();
    push(wire.node);
    for (const InletId reader : model_.successors(wire)) {
      progress_[reader.node].is_untried = true;
      push(reader.node);
    }
  }

  /// The typed fact of a wire; null while its type is unknown. Unknown sizes become symbols of the
  /// scratch model.
  const Fact* typed_fact(OutletId wire) {
    auto& fact = typed_[place_of_wire(wire)];
    if (!fact) {
      const FreshSymbols fresh(scratch_.symbols());
      fact = model_.fact(wire).typed();
    }
    return fact ? &*fact : nullptr;
  }

  /// Infers forward: expands the node into the scratch model and reads the facts of its outputs.
  void try_wiring(std::uint32_t id) {
    const InferenceNode& node = model_.node(id);
    scratch_.clear();
    OutletIds in;
    for (const OutletId input : node.inputs) {
      const Fact* fact = input.is_absent() ? nullptr : typed_fact(input);
      if (!fact && !input.is_absent()) return;
      in.push_back(fact ? scratch_.add(*fact) : kAbsent);
    }
    progress_[id].is_untried = false;
    trials_.by_node.erase(id);
    try {
      const OutletIds wires = wire_node(model_, id, scratch_, in);
      model_.settle(id);
      std::optional<Symbols> read;  // once they are asked for
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
        if (!wires[slot].is_absent()) learn_found({id, slot}, scratch_.fact_of(wires[slot]), read);
      if (scratch_.is_worth_keeping()) trials_.by_node.emplace(id, scratch_.take(wires));
    } catch (const Error& error) {
      // A node that cannot be expanded yet may be once more is known; if not, to_typed reports it.
      if (error.kind() != ErrorKind::unsupported) throw;
    }
  }

  /// Learns a fact found in the scratch model, except for sizes that mention symbols made there and
  /// not `read` by the node.
  void learn_found(OutletId wire, const Fact& found, std::optional<Symbols>& read) {
    if (covers(model_.fact(wire), found)) return;
    if (has_symbols(found)) {
      if (!read) read = symbols_read_by(wire.node);
      const auto is_of_scratch = [&](const Dim& dim) {
        return dim.any_symbol([&](const std::string& symbol) { return !read->contains(symbol); });
      };
      return learn(wire, without_dims(InferenceFact(found), is_of_scratch));
    }
    const bool is_all = model_.fact(wire) == InferenceFact();
    learn(wire, InferenceFact(found));
    if (is_all) typed_[place_of_wire(wire)] = found;
  }

  /// The symbols that the facts of the node's inputs mention.
  Symbols symbols_read_by(std::uint32_t id) const {
    Symbols out;
    for (const OutletId input : model_.node(id).inputs) {
      if (input.is_absent()) continue;
      any_dim(model_.fact(input), [&](const Dim& dim) {
        return dim.any_symbol([&](const std::string& symbol) {
          out.insert(symbol);
          return false;
        });
      });
    }
    return out;
  }

  std::size_t place_of_wire(OutletId wire) const { return first_wire_[wire.node] + wire.slot; }

  InferenceModel& model_;
  std::deque<std::uint32_t> worklist_;
  std::vector<Progress> progress_;  ///< of each node
  Trials trials_;
  std::vector<std::size_t> first_wire_;     ///< of each node, among all wires
  std::vector<std::optional<Fact>> typed_;  ///< cache of typed_fact, by wire
  FactWiring scratch_;
  SymbolScope symbols_before_;
};

}  // namespace

void InferenceModel::analyse() {
  require(symbols_ != nullptr, ErrorKind::invalid_argument, "a model is used that was moved from");
  trials_ = std::make_shared<const Trials>(Solver(*this).run());
}

}  // namespace strata::hir
