#include <algorithm>

#include "dims.h"
#include "lexer.h"
#include "literals.h"
#include "strata/core/fact_dims.h"
#include "writer.h"

namespace strata::opl {
namespace {

/// The registry that declares a fragment, as an extension line names it; empty for NNEF itself.
std::string_view registry_of(std::string_view fragment) {
  if (fragment.starts_with("strata_")) return "strata_core";
  if (fragment.starts_with("own_")) return "own";
  if (fragment.starts_with("tract_onnx_")) return "tract_onnx";
  if (fragment.starts_with("tract_")) return "tract_core";
  return {};
}

/// `name` as a plain identifier.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    out += plain ? c : '_';
  }
  if (!is_plain_identifier(out)) out.insert(0, "f_");
  return out;
}

TypeSpec tensor_type(const Fact& fact) {
  std::string_view name = "scalar";
  if (fact.is_tensor() && is_integer(fact.dtype)) name = "integer";
  if (fact.is_tensor() && fact.dtype == DatumType::boolean) name = "logical";
  if (fact.is_tensor() && fact.dtype == DatumType::string) name = "string";
  return {TypeSpec::Kind::tensor, std::string(name), {}};
}

/// One part of a label between slashes: what a file system and tract's loader take.
std::string label_part(std::string_view part) {
  constexpr std::size_t kLongest = 180;
  std::string out;
  for (const char c : part.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f || c == '\\' || c == '"' || c == '{' ? '_' : c;
  }
  if (out.starts_with('.')) out.insert(0, "_");
  return out;
}

}  // namespace

Document DocumentWriter::write(const TypedModel& model) {
  for (const OutletId input : model.inputs()) ports_.insert(model.node(input.node).name);
  for (const GraphOutput& output : model.outputs()) ports_.insert(output.name);
  for (const OutletId input : model.inputs())
    for_each_dim(model.fact(input), [&](const Dim& dim) {
      for (std::string& symbol : dim.symbols()) own_.insert(std::move(symbol));
    });
  note_symbols(model);
  GraphWriter graph(model, *this, Ports::keep_names);
  graph.write();
  Document document;
  for (const std::string& name : graph.inputs()) document.graph.inputs.push_back({name, {}});
  for (const std::string& name : graph.outputs()) document.graph.outputs.push_back({name, {}});
  document.graph.body = graph.take_body();
  for (auto& [name, fragment] : fragments_) {
    for (const Assignment& assignment : *fragment.body) note_registries(assignment.right);
    document.fragments.push_back(std::move(fragment));
  }
  for (const Assignment& assignment : document.graph.body) note_registries(assignment.right);
  document.extensions = extensions(model.symbols());
  return document;
}

std::vector<Extension> DocumentWriter::extensions(const SymbolScope& scope) const {
  std::vector<Extension> out;
  for (const std::string& registry : registries_)
    out.push_back(
        {registry.starts_with("tract") ? "tract_registry" : "strata_registry", registry, {}});
  for (const std::string& symbol : symbols_)
    out.push_back({"tract_symbol", Dim::symbol(symbol).to_string(), {}});
  std::map<std::string, std::string> spelled_from;
  for (const auto& [symbol, spelling] : respelled_) spelled_from[spelling] = symbol;
  for (const std::string& symbol : symbols_) {
    const auto respelled = spelled_from.find(symbol);
    const DimRange range =
        scope.range(Dim::symbol(respelled == spelled_from.end() ? symbol : respelled->second));
    if (range.least && *range.least > 0)
      out.push_back({"tract_assert", cat(Dim::symbol(symbol), " >= ", *range.least), {}});
  }
  return out;
}

Dim DocumentWriter::spelled(const Dim& dim) {
  Dim::Bindings bindings;
  for (const std::string& symbol : dim.symbols()) {
    if (!ports_.contains(symbol)) continue;
    std::string& spelling = respelled_[symbol];
    const auto is_taken = [&] { return ports_.contains(spelling) || own_.contains(spelling); };
    for (std::size_t i = 1; spelling.empty() || is_taken(); ++i)
      spelling = cat(symbol, "_dim", i == 1 ? "" : cat(i));
    bindings.emplace(symbol, Dim::symbol(spelling));
  }
  return bindings.empty() ? dim : dim.substitute(bindings);
}

Fact DocumentWriter::spelled(Fact fact) {
  if (fact.is_tensor() && fact.shape.is_known()) {
    std::vector<Dim> dims = fact.shape.dims();
    for (Dim& dim : dims) dim = spelled(dim);
    fact.shape = std::move(dims);
  }
  if (fact.length) fact.length = spelled(*fact.length);
  if (fact.element) fact.element = std::make_shared<const Fact>(spelled(*fact.element));
  return fact;
}

Tensor DocumentWriter::spelled(const Tensor& dims) {
  std::vector<Dim> out;
  for (const Dim& dim : dims.as<Dim>()) out.push_back(spelled(dim));
  return Tensor::of<Dim>(dims.shape(), std::span<const Dim>(out));
}

void DocumentWriter::note_symbols(const TypedModel& model) {
  for (const OutletId input : model.inputs())
    for_each_dim(model.fact(input), [&](const Dim& dim) { note_symbols(dim); });
}

void DocumentWriter::note_symbols(const Dim& dim) {
  for (std::string& symbol : spelled(dim).symbols()) symbols_.insert(std::move(symbol));
}

void DocumentWriter::note_registries(const Expression& expression) {
  if (const auto* function = expression.get_if<Call>()) {
    const std::string_view registry = registry_of(function->name);
    if (!registry.empty()) registries_.emplace(registry);
    for (const Argument& argument : function->arguments) note_registries(argument.value);
  } else if (const auto* items = expression.get_if<Array>()) {
    for (const Expression& item : items->items) note_registries(item);
  }
}

Expression DocumentWriter::constant(const Tensor& tensor, const std::string& name) {
  const bool as_text = form_ == ConstantForm::text || tensor.dtype() == DatumType::dim;
  if (as_text) {
    if (tensor.dtype() != DatumType::dim) return constant_text(tensor);
    for (const Dim& dim : tensor.as<Dim>()) note_symbols(dim);
    return constant_text(spelled(tensor));
  }
  return call(
      "variable",
      {named("label", string(variable(tensor, name))), named("shape", numbers(tensor.shape()))},
      "scalar");
}

const std::string& DocumentWriter::variable(const Tensor& tensor, const std::string& name) {
  auto [at, end] = by_place_.equal_range(tensor.data());
  for (; at != end; ++at) {
    const Tensor& known = at->second->second;
    if (known.dtype() == tensor.dtype() && known.shape() == tensor.shape())
      return at->second->first;
  }
  const auto added = variables_.emplace(label_for(name), tensor).first;
  by_place_.emplace(tensor.data(), added);
  return added->first;
}

std::string DocumentWriter::label_for(std::string_view name) {
  std::string base;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    std::string part = label_part(name.substr(0, slash));
    // A folder does not look like the file of a tensor.
    if (slash < name.size() && part.ends_with(".dat")) part += '_';
    if (!part.empty()) base += (base.empty() ? "" : "/") + part;
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return labels_.claim(base.empty() ? "_" : base);
}

const Fragment& DocumentWriter::body(const Body& body, std::string_view hint, Ports ports) {
  const std::pair key(body.get(), ports);
  const auto known = bodies_.find(key);
  if (known != bodies_.end()) return fragments_.at(known->second);
  const std::string name = fragment_names_.claim(plain_name(hint));
  bodies_.emplace(key, name);
  if (ports != Ports::bound) note_symbols(*body);
  GraphWriter graph(*body, *this, ports);
  graph.write();
  Fragment fragment;
  fragment.name = name;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i)
    fragment.parameters.push_back(
        {graph.inputs()[i], tensor_type(body->input_fact(i)), std::nullopt, {}});
  for (std::size_t i = 0; i < graph.outputs().size(); ++i)
    fragment.results.push_back({graph.outputs()[i], tensor_type(body->output_fact(i)), {}});
  fragment.body = graph.take_body();
  return fragments_[name] = std::move(fragment);
}

}  // namespace strata::opl
