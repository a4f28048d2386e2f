#include <set>

#include "node_title.h"
#include "own_scope.h"
#include "strata/core/fact_dims.h"
#include "strata/core/ops/all.h"
#include "strata/core/transform.h"
#include "strata/core/wire_map.h"

namespace strata {
namespace {

using Names = std::set<std::string>;

void add_symbols(const Fact& fact, Names& out) {
  for_each_dim(fact, [&](const Dim& dim) {
    for (std::string& name : dim.symbols())
      if (!SymbolScope::is_fresh_name(name)) out.insert(std::move(name));
  });
}

/// Returns whether the attribute is a size, or several.
bool concretize_attribute(AttrValue& value, const Dim::Bindings& sizes) {
  if (Dim* dim = std::get_if<Dim>(&value)) {
    *dim = dim->substitute(sizes);
    return true;
  }
  auto* dims = std::get_if<std::vector<Dim>>(&value);
  if (!dims) return false;
  for (Dim& dim : *dims) dim = dim.substitute(sizes);
  return true;
}

using Scope = std::shared_ptr<SymbolScope>;

TypedModel concretize_dims(const TypedModel& model, const Dim::Bindings& sizes, const Scope& scope);

TypedOp concretize_dims(const TypedOp& op, const Dim::Bindings& sizes, const Scope& scope) {
  TypedOp out = op;
  AttrList attributes = op.attributes();
  bool has_sizes = false;
  for (NamedAttr& attribute : attributes) has_sizes |= concretize_attribute(attribute.value, sizes);
  if (const OpEntry* entry = has_sizes ? find_core_op(op.name()) : nullptr)
    out = entry->from_attributes(attributes);
  std::vector<Body> bodies = out.bodies();
  for (Body& body : bodies)
    body = std::make_shared<TypedModel>(concretize_dims(*body, sizes, scope));
  return bodies.empty() ? out : out.with_bodies(bodies);
}

/// Wires every node of a model into a new model, for these sizes.
class Rebuild {
 public:
  Rebuild(const TypedModel& model, const Dim::Bindings& sizes, const Scope& scope)
      : model_(model), sizes_(sizes), out_(scope), wires_(model.nodes().size()) {
    out_.set_target(model.target());
  }

  void add_input(std::size_t i) {
    wires_.set(model_.inputs()[i].node, {out_.add_source(model_.input_name(i), input_fact(i))});
  }
  void add_constant(std::size_t i, const Value& value) {
    wires_.set(model_.inputs()[i].node, {out_.constant(model_.input_name(i), value)});
  }

  TypedModel finish() {
    const OutletIds outputs = copy_nodes(
        model_, wires_, [&](std::uint32_t id, const OutletIds& in) { return copy(id, in); });
    add_outputs(out_, model_, outputs);
    return std::move(out_);
  }

 private:
  Fact input_fact(std::size_t i) const {
    const Fact& before = model_.input_fact(i);
    Fact fact = concretize_dims(before, sizes_);
    if (!fact.is_tensor() || fact.shape.is_open()) return fact;
    for (const Dim& dim : fact.shape.dims()) check_input_size(dim, model_.input_name(i), before);
    return fact;
  }

  OutletIds copy(std::uint32_t id, const OutletIds& in) {
    const TypedNode& node = model_.node(id);
    const TypedOp op =
        naming(model_, id, [&] { return concretize_dims(node.op, sizes_, out_.symbol_scope()); });
    OutletIds made = out_.wire(node.name, op, in);
    naming(model_, id, [&] {
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
        learn(made[slot], concretize_dims(node.outputs[slot].fact, sizes_));
    });
    return made;
  }

  /// Adds what was known of a wire to what its op infers.
  void learn(OutletId wire, const Fact& known) {
    const FreshSymbols fresh(out_.symbols());
    if (known.is_tensor()) out_.set_fact(wire, meet(out_.fact(wire), known));
  }

  const TypedModel& model_;
  const Dim::Bindings& sizes_;
  TypedModel out_;
  WireMap wires_;
};

TypedModel concretize_dims(const TypedModel& model, const Dim::Bindings& sizes,
                           const Scope& scope) {
  Rebuild rebuild(model, sizes, scope);
  for (std::size_t i = 0; i < model.inputs().size(); ++i) rebuild.add_input(i);
  return rebuild.finish();
}

}  // namespace

std::shared_ptr<const Value> concretize_dims(const std::shared_ptr<const Value>& value,
                                             DatumType type, const Dim::Bindings& sizes) {
  if (!value || !value->is_tensor() || value->tensor().dtype() != DatumType::dim) return value;
  std::vector<Dim> dims;
  bool all_known = true;
  for (const Dim& dim : value->tensor().as<Dim>()) {
    dims.push_back(dim.substitute(sizes));
    all_known &= dims.back().is_constant();
  }
  Tensor tensor = Tensor::of<Dim>(value->tensor().shape(), std::span<const Dim>(dims));
  return std::make_shared<const Value>(all_known ? cast(tensor, type) : tensor);
}

Fact concretize_dims(Fact fact, const Dim::Bindings& sizes) {
  if (fact.is_tensor() && fact.shape.is_known()) {
    std::vector<Dim> dims = fact.shape.dims();
    for (Dim& dim : dims) dim = dim.substitute(sizes);
    fact.shape = ShapeFact(std::move(dims));
  }
  if (fact.length) fact.length = fact.length->substitute(sizes);
  if (fact.element)
    fact.element = std::make_shared<const Fact>(concretize_dims(*fact.element, sizes));
  fact.value = concretize_dims(fact.value, fact.dtype, sizes);
  return fact;
}

std::vector<std::string> input_symbols(const TypedModel& model) {
  Names names;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) add_symbols(model.input_fact(i), names);
  return {names.begin(), names.end()};
}

TypedModel concretize_dims(const TypedModel& model, const Dim::Bindings& sizes) {
  return concretize_dims(model, sizes, own_scope(model));
}

TypedModel with_constants(const TypedModel& model, std::span<const Value* const> values) {
  require(values.size() == model.inputs().size(), ErrorKind::invalid_argument, "a model of ",
          counted(model.inputs().size(), "input"), " is given ", counted(values.size(), "value"));
  const Dim::Bindings none;
  Rebuild rebuild(model, none, own_scope(model));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i])
      rebuild.add_constant(i, *values[i]);
    else
      rebuild.add_input(i);
  return rebuild.finish();
}

}  // namespace strata
