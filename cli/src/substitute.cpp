#include "substitute.h"

#include <set>

#include "strata/core/ops/all.h"

namespace strata::cli {
namespace {

using Names = std::set<std::string>;

void add_symbols(const Dim& dim, Names& out) {
  for (std::string& name : dim.symbols())
    if (!SymbolScope::is_fresh_name(name)) out.insert(std::move(name));
}

void add_symbols(const hir::InferenceFact& fact, Names& out) {
  if (fact.shape)
    for (const auto& dim : *fact.shape)
      if (dim) add_symbols(*dim, out);
  if (fact.length) add_symbols(*fact.length, out);
  if (fact.element) add_symbols(*fact.element, out);
}

void add_symbols(const Fact& fact, Names& out) {
  if (fact.is_tensor() && fact.shape.is_known())
    for (const Dim& dim : fact.shape.dims()) add_symbols(dim, out);
  if (fact.length) add_symbols(*fact.length, out);
  if (fact.element) add_symbols(*fact.element, out);
}

template <class Model>
std::vector<std::string> symbols_of_inputs(const Model& model) {
  Names names;
  for (const OutletId input : model.inputs()) add_symbols(model.fact(input), names);
  return {names.begin(), names.end()};
}

/// A symbolic tensor with its symbols replaced; integers of `type` once none is left.
std::shared_ptr<const Value> substituted(const std::shared_ptr<const Value>& value, DatumType type,
                                         const Dim::Bindings& sizes) {
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

hir::InferenceFact substituted(hir::InferenceFact fact, const Dim::Bindings& sizes) {
  if (fact.shape)
    for (auto& dim : *fact.shape)
      if (dim) dim = dim->substitute(sizes);
  if (fact.length) fact.length = fact.length->substitute(sizes);
  if (fact.element)
    fact.element = std::make_shared<const hir::InferenceFact>(substituted(*fact.element, sizes));
  fact.value = substituted(fact.value, fact.dtype.value_or(DatumType::i64), sizes);
  return fact;
}

Fact substituted(Fact fact, const Dim::Bindings& sizes) {
  if (fact.is_tensor() && fact.shape.is_known()) {
    std::vector<Dim> dims = fact.shape.dims();
    for (Dim& dim : dims) dim = dim.substitute(sizes);
    fact.shape = ShapeFact(std::move(dims));
  }
  if (fact.length) fact.length = fact.length->substitute(sizes);
  if (fact.element) fact.element = std::make_shared<const Fact>(substituted(*fact.element, sizes));
  fact.value = substituted(fact.value, fact.dtype, sizes);
  return fact;
}

bool substitute_attribute(AttrValue& value, const Dim::Bindings& sizes) {
  if (Dim* dim = std::get_if<Dim>(&value)) {
    *dim = dim->substitute(sizes);
    return true;
  }
  auto* dims = std::get_if<std::vector<Dim>>(&value);
  if (!dims) return false;
  for (Dim& dim : *dims) dim = dim.substitute(sizes);
  return true;
}

TypedOp substituted(const TypedOp& op, const Dim::Bindings& sizes) {
  TypedOp out = op;
  AttrList attributes = op.attributes();
  bool changed = false;
  for (NamedAttr& attribute : attributes) changed |= substitute_attribute(attribute.value, sizes);
  if (const OpEntry* entry = changed ? find_core_op(op.name()) : nullptr)
    out = entry->from_attributes(attributes);
  std::vector<Body> bodies = out.bodies();
  for (Body& body : bodies) body = std::make_shared<TypedModel>(substitute(*body, sizes));
  return bodies.empty() ? out : out.with_bodies(bodies);
}

/// Wires every node of a model into a new one.
class Rebuild {
 public:
  Rebuild(const TypedModel& model, const Dim::Bindings& sizes)
      : model_(model), sizes_(sizes), out_(model.symbol_scope()), wires_(model.nodes().size()) {}

  void add_input(std::size_t i, const Value* constant) {
    const std::uint32_t id = model_.inputs()[i].node;
    const std::string& name = model_.node(id).name;
    wires_[id] = {constant ? out_.constant(name, *constant) : out_.add_source(name, input_fact(i))};
  }

  TypedModel finish() {
    for (const std::uint32_t id : model_.order())
      if (!model_.node(id).op.as<Source>()) add_node(id);
    for (const GraphOutput& output : model_.outputs())
      out_.add_output(output.name, moved(output.outlet));
    return std::move(out_);
  }

 private:
  Fact input_fact(std::size_t i) const {
    const Fact& before = model_.input_fact(i);
    Fact fact = substituted(before, sizes_);
    if (!fact.is_tensor() || fact.shape.is_open()) return fact;
    for (const Dim& dim : fact.shape.dims())
      require(dim.constant().value_or(0) >= 0, ErrorKind::invalid_argument, "input ",
              in_quotes(model_.input_name(i)), " is ", before, ", of which a size would be ", dim);
    return fact;
  }

  OutletId moved(OutletId outlet) const { return wires_[outlet.node][outlet.slot]; }

  void add_node(std::uint32_t id) {
    const TypedNode& node = model_.node(id);
    OutletIds inputs;
    for (const OutletId input : node.inputs) inputs.push_back(moved(input));
    try {
      wires_[id] = out_.wire(node.name, substituted(node.op, sizes_), inputs);
      const FreshSymbols fresh(out_.symbols());
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        const Fact old = substituted(node.outputs[slot].fact, sizes_);
        const OutletId wire = wires_[id][slot];
        if (old.is_tensor()) out_.set_fact(wire, meet(out_.fact(wire), old));
      }
    } catch (Error& error) {
      throw error.in(cat(node.op.display_name(), ' ', in_quotes(node.name)));
    }
  }

  const TypedModel& model_;
  const Dim::Bindings& sizes_;
  TypedModel out_;
  std::vector<OutletIds> wires_;
};

}  // namespace

std::vector<std::string> input_symbols(const hir::InferenceModel& model) {
  return symbols_of_inputs(model);
}
std::vector<std::string> input_symbols(const TypedModel& model) { return symbols_of_inputs(model); }

void substitute(hir::InferenceModel& model, const Dim::Bindings& sizes) {
  for (std::uint32_t id = 0; id < model.nodes().size(); ++id) {
    for (std::uint32_t slot = 0; slot < model.node(id).outputs.size(); ++slot)
      model.set_fact({id, slot}, substituted(model.fact({id, slot}), sizes));
    for (const hir::InferenceBody& body : model.node(id).op.bodies()) substitute(*body, sizes);
  }
}

TypedModel substitute(const TypedModel& model, const Dim::Bindings& sizes) {
  Rebuild rebuild(model, sizes);
  for (std::size_t i = 0; i < model.inputs().size(); ++i) rebuild.add_input(i, nullptr);
  return rebuild.finish();
}

TypedModel with_constants(const TypedModel& model, const std::vector<const Value*>& values) {
  const Dim::Bindings none;
  Rebuild rebuild(model, none);
  for (std::size_t i = 0; i < model.inputs().size(); ++i) rebuild.add_input(i, values[i]);
  return rebuild.finish();
}

}  // namespace strata::cli
