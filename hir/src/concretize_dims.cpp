#include <set>

#include "strata/core/fact_dims.h"
#include "strata/hir/inference_model.h"

namespace strata::hir {
namespace {

using Names = std::set<std::string>;

void add_symbols(const Dim& dim, Names& out) {
  for (std::string& name : dim.symbols())
    if (!SymbolScope::is_fresh_name(name)) out.insert(std::move(name));
}

void add_symbols(const InferenceFact& fact, Names& out) {
  if (fact.shape)
    for (const auto& dim : *fact.shape)
      if (dim) add_symbols(*dim, out);
  if (fact.length) add_symbols(*fact.length, out);
  if (fact.element) add_symbols(*fact.element, out);
}

InferenceFact concretize_dims(InferenceFact fact, const Dim::Bindings& sizes) {
  if (fact.shape)
    for (auto& dim : *fact.shape)
      if (dim) dim = dim->substitute(sizes);
  if (fact.length) fact.length = fact.length->substitute(sizes);
  if (fact.element)
    fact.element = std::make_shared<const InferenceFact>(concretize_dims(*fact.element, sizes));
  fact.value = strata::concretize_dims(fact.value, fact.dtype.value_or(DatumType::i64), sizes);
  return fact;
}

InferenceOp concretize_dims(const InferenceOp& op, const Dim::Bindings& sizes) {
  std::vector<InferenceBody> bodies = op.bodies();
  for (InferenceBody& body : bodies)
    body = std::make_shared<InferenceModel>(concretize_dims(*body, sizes));
  return bodies.empty() ? op : op.with_bodies(bodies);
}

}  // namespace

std::vector<std::string> input_symbols(const InferenceModel& model) {
  Names names;
  for (const OutletId input : model.inputs()) add_symbols(model.fact(input), names);
  return {names.begin(), names.end()};
}

InferenceModel concretize_dims(const InferenceModel& model, const Dim::Bindings& sizes) {
  InferenceModel out = model;
  for (std::uint32_t id = 0; id < model.nodes().size(); ++id) {
    for (const OutletId wire : model.outlets_of(id))
      out.set_fact(wire, concretize_dims(model.fact(wire), sizes));
    out.set_op(id, concretize_dims(model.node(id).op, sizes));
  }
  for (std::size_t i = 0; i < out.inputs().size(); ++i) {
    const auto& shape = out.fact(out.inputs()[i]).shape;
    if (!shape) continue;
    for (const auto& dim : *shape)
      if (dim) check_input_size(*dim, out.input_name(i), model.fact(model.inputs()[i]));
  }
  return out;
}

}  // namespace strata::hir
