#include "shapes.h"

#include <algorithm>

#include "entries.h"
#include "ports.h"

namespace strata::cli {
namespace {

using Sizes = std::vector<std::int64_t>;

template <class Model>
std::size_t index_of(const Model& model, const std::string& name) {
  const std::vector<std::string> names = input_names(model);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) fail_unknown_name("input", name, names);
  return static_cast<std::size_t>(at - names.begin());
}

template <class AnyFact>
[[noreturn]] void fail_to_fit(const std::string& name, const AnyFact& fact, const Sizes& sizes) {
  fail(ErrorKind::invalid_argument, "input ", in_quotes(name), " is ", fact.to_string(),
       ", which does not have the shape ", sizes);
}

/// Gives the size at `axis` to the fact's `dim`, of which a symbol has one size everywhere.
template <class AnyFact>
void give(const std::string& name, const AnyFact& fact, const Sizes& sizes, std::size_t axis,
          const Dim& dim, Dim::Bindings& out) {
  if (const auto known = dim.constant()) {
    if (*known != sizes[axis]) fail_to_fit(name, fact, sizes);
    return;
  }
  const auto symbols = dim.symbols();
  if (symbols.size() != 1 || dim != Dim::symbol(symbols[0])) fail_to_fit(name, fact, sizes);
  const Dim& given = out.emplace(symbols[0], sizes[axis]).first->second;
  require(given == Dim(sizes[axis]), ErrorKind::invalid_argument, "--shape gives ", symbols[0],
          " the sizes ", given.to_string(), " and ", sizes[axis], ", the latter by input ",
          in_quotes(name), ", which is ", fact.to_string());
}

void set_shape(hir::InferenceModel& model, OutletId input, const std::string& name,
               const Sizes& sizes, Dim::Bindings& out) {
  hir::InferenceFact fact = model.fact(input);
  if (!fact.shape) fact.shape = hir::PartialShape(sizes.size());
  if (fact.shape->size() != sizes.size()) fail_to_fit(name, fact, sizes);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    auto& dim = (*fact.shape)[axis];
    if (dim)
      give(name, model.fact(input), sizes, axis, *dim, out);
    else
      dim = Dim(sizes[axis]);
  }
  model.set_fact(input, std::move(fact));
}

}  // namespace

Dim::Bindings set_shapes(hir::InferenceModel& model, const InputShapes& shapes) {
  Dim::Bindings out;
  for (const auto& [name, sizes] : shapes)
    set_shape(model, model.inputs()[index_of(model, name)], name, sizes, out);
  return out;
}

Dim::Bindings sizes_for(const TypedModel& model, const InputShapes& shapes) {
  Dim::Bindings out;
  for (const auto& [name, sizes] : shapes) {
    const Fact& fact = model.input_fact(index_of(model, name));
    const bool has_rank = fact.is_tensor() && fact.shape.is_known();
    if (!has_rank || fact.shape.rank() != sizes.size()) fail_to_fit(name, fact, sizes);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      give(name, fact, sizes, axis, fact.shape[axis], out);
  }
  return out;
}

}  // namespace strata::cli
