#include "graph_builder.h"

#include <map>
#include <set>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// From this IR version on a subgraph's constants are no inputs of it.
constexpr std::int64_t kSeparateInitializers = 4;

/// Runs `work`, adding what it was about to an error.
template <class Work>
auto within(std::string_view what, Text name, Work work) {
  try {
    return work();
  } catch (Error& error) {
    throw error.in(cat(what, ' ', in_quotes(name)));
  }
}

class GraphBuilder {
 public:
  /// `captures` is the number of wires of outer graphs that it reads.
  GraphBuilder(const GraphProto& graph, ModelContext& context, GraphTarget& target,
               std::size_t captures = 0)
      : graph_(graph), context_(context), target_(target) {
    const std::size_t nodes =
        graph.input.size() + graph.initializer.size() + captures + graph.node.size();
    target.model.expect_nodes(nodes);
    scope_.expect(nodes);
    constants_.reserve(graph.initializer.size() + graph.sparse_initializer.size());
    for (const auto& tensor : graph.initializer) add_constant(tensor.name, tensor);
    for (const auto& tensor : graph.sparse_initializer) add_constant(tensor.values.name, tensor);
  }

  /// The inputs that are no constants.
  void add_inputs() {
    std::set<Text> seen;
    for (const auto& input : graph_.input) {
      check(!input.name.empty(), "an input has no name");
      check(seen.insert(input.name).second, "two inputs are named ", in_quotes(input.name));
      within("input", input.name, [&] { add_input(input); });
    }
  }

  void add_captures(const Captures& captures) {
    for (const std::string_view name : captures.names)
      scope_.define(name, target_.model.add_source(target_.free_name(std::string(name)), {}));
    for (const std::string_view name : captures.absent) scope_.define(name, kAbsent);
  }

  void add_constants() {
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const auto& [name, value] = constants_[i];
      const OutletId wire = target_.model.add_const(target_.free_name(std::string(name)), value);
      scope_.define(name, wire);
      if (const auto fact = declared_.find(i); fact != declared_.end())
        target_.model.add_default({std::string(name), wire, std::move(fact->second)});
    }
  }

  void add_nodes(const Environment& environment) {
    Block(context_, environment, target_, scope_).add(graph_.node);
  }

  /// The outputs, and what is declared of wires.
  void add_outputs() {
    for (const auto& output : graph_.output)
      within("output", output.name, [&] { add_output(output); });
    for (const auto& value : graph_.value_info)
      within("value", value.name, [&] { add_value(value); });
  }

 private:
  bool is_body() const { return target_.depth > 0; }

  template <class Proto>
  void add_constant(Text name, const Proto& proto) {
    check(!name.empty(), "an initializer has no name");
    Tensor tensor = context_.tensors.read(proto);
    check(index_.add(name, constants_.size()), "two initializers are named ", in_quotes(name));
    constants_.emplace_back(name, std::move(tensor));
  }

  /// A map is two inputs, `name.keys` and `name.values`.
  void add_map_input(const ValueInfoProto& input) {
    const Text name = input.name;
    const MapFacts facts = facts_of_map(*input.type.map_type, *context_.symbols);
    const auto add = [&](std::string_view part, const hir::InferenceFact& fact) {
      return target_.model.add_source(target_.free_name(cat(name, part)), fact);
    };
    scope_.define(name, MapWires{add(".keys", facts.keys), add(".values", facts.values)});
  }

  void add_input(const ValueInfoProto& input) {
    if (input.type.map_type) return add_map_input(input);
    hir::InferenceFact fact = fact_of(input.type, context_.dim_names);
    if (const std::size_t* constant = index_.find(input.name)) {
      check(!is_body() || context_.ir_version < kSeparateInitializers,
            "an input of a subgraph is an initializer too, which IR version ", context_.ir_version,
            " does not allow");
      hir::unify(hir::InferenceFact(Fact::of(constants_[*constant].second)), fact);
      if (!is_body()) declared_.emplace(*constant, std::move(fact));
      return;
    }
    if (is_body()) fact = without_shapes(std::move(fact));
    const OutletId wire =
        target_.model.add_source(target_.free_name(std::string(input.name)), fact);
    if (is_body())
      target_.model.declare({wire, cat("input ", in_quotes(input.name)), std::move(fact)});
    scope_.define(input.name, wire);
  }

  void add_output(const ValueInfoProto& output) {
    if (const auto map = scope_.find_map(output.name)) {
      target_.model.add_output(cat(output.name, ".keys"), map->keys);
      target_.model.add_output(cat(output.name, ".values"), map->values);
      return;
    }
    const OutletId wire = scope_.wire(output.name);
    check(!wire.is_absent(), "nothing gives it a value");
    check(is_body() || output_names_.insert(output.name).second, "two outputs have this name");
    target_.model.add_output(std::string(output.name), wire);
    hir::InferenceFact declared = declared_fact(output.type);
    const bool may_be_condition = is_body() && declared.dtype == DatumType::boolean;
    if (!is_body() && target_.model.fact(wire) == hir::InferenceFact())
      target_.model.set_fact(wire, std::move(declared));
    else
      target_.model.declare(
          {wire, cat("output ", in_quotes(output.name)), std::move(declared), may_be_condition});
  }

  /// Checks the element type only: tools that change the sizes of a graph's inputs leave those of
  /// inner values unchanged.
  void add_value(const ValueInfoProto& value) {
    const auto wire = scope_.find(value.name);
    const bool is_plain =
        value.type.tensor_type || value.type.sequence_type || value.type.optional_type;
    if (!wire || wire->is_absent() || !is_plain) return;
    hir::InferenceFact declared = declared_fact(value.type);
    declared.shape.reset();
    target_.model.declare({*wire, cat("value ", in_quotes(value.name)), std::move(declared)});
  }

  /// The declared fact, in which a named size that no input has is unknown.
  hir::InferenceFact declared_fact(const TypeProto& type) {
    return fact_of(type, context_.dim_names, NewName::unknown);
  }

  const GraphProto& graph_;
  ModelContext& context_;
  GraphTarget& target_;
  Scope scope_;
  std::vector<std::pair<Text, Tensor>> constants_;
  NameMap<std::size_t> index_;
  std::map<std::size_t, hir::InferenceFact> declared_;  ///< of constants that are inputs too
  std::set<Text> output_names_;
};

}  // namespace

hir::InferenceModel build_model(const GraphProto& graph, ModelContext& context,
                                const Environment& environment) {
  hir::InferenceModel model(context.symbols);
  GraphTarget target{model};
  GraphBuilder builder(graph, context, target);
  builder.add_inputs();
  builder.add_constants();
  builder.add_nodes(environment);
  check(graph.output.size() > 0, "the graph has no outputs");
  builder.add_outputs();
  return model;
}

Subgraph build_subgraph(const GraphProto& graph, ModelContext& context,
                        const Environment& environment, const Captures& captures, int depth) {
  require(depth <= context.limits.nesting, ErrorKind::limit, "bodies nest deeper than ",
          context.limits.nesting, " (Limits::nesting)");
  Subgraph out{std::make_shared<hir::InferenceModel>(context.symbols), 0, captures.names.size()};
  GraphTarget target{*out.model, depth};
  GraphBuilder builder(graph, context, target, captures.names.size());
  builder.add_inputs();
  out.own_inputs = out.model->inputs().size();
  builder.add_captures(captures);
  builder.add_constants();
  builder.add_nodes(environment);
  builder.add_outputs();
  return out;
}

}  // namespace strata::onnx
