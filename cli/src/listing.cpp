#include "listing.h"

#include <algorithm>
#include <span>

namespace strata::cli {
namespace {

using hir::InferenceModel;

std::string op_name(const TypedModel& model, std::uint32_t id) {
  return model.node(id).op.display_name();
}
std::string op_name(const InferenceModel& model, std::uint32_t id) { return model.op_type(id); }
AttrList op_attributes(const TypedOp& op) { return op.attributes(); }
AttrList op_attributes(const hir::InferenceOp& op) {
  const auto* direct = op.as<hir::Direct>();
  return direct ? direct->op.attributes() : op.attributes();
}

/// How the kernel of a node works; empty if it does not say.
std::string why(const TypedModel& model, std::uint32_t id) {
  const TypedNode& node = model.node(id);
  return node.op.explain(model.facts_of(node.inputs), GatheredFacts(node.outputs));
}
std::string why(const InferenceModel&, std::uint32_t) { return {}; }

/// The value of a constant node, or null.
template <class Op>
std::optional<Value> constant_of(const Op& op) {
  if (op.name() != "Const") return std::nullopt;
  const AttrList attributes = op.attributes();
  const Value* value = std::get_if<Value>(&attributes.at(0).value);
  return value ? std::optional(*value) : std::nullopt;
}

ListedWire listed(std::string name, const Fact& fact) {
  ListedWire out{std::move(name), fact.to_string(), {}, {}};
  if (!fact.is_tensor()) return out;
  out.dtype = std::string(to_string(fact.dtype));
  if (fact.shape.is_open()) return out;
  out.shape.emplace();
  for (const Dim& dim : fact.shape.dims()) out.shape->push_back(dim.to_string());
  return out;
}

ListedWire listed(std::string name, const hir::InferenceFact& fact) {
  ListedWire out{std::move(name), fact.to_string(), {}, {}};
  if (fact.dtype) out.dtype = std::string(to_string(*fact.dtype));
  if (!fact.shape) return out;
  out.shape.emplace();
  for (const auto& dim : *fact.shape)
    out.shape->push_back(dim ? std::optional(dim->to_string()) : std::nullopt);
  return out;
}

template <class Model>
std::string wire_name(const Model& model, OutletId wire) {
  const auto& node = model.node(wire.node);
  return node.outputs.size() == 1 ? node.name : cat(node.name, ':', wire.slot);
}

template <class Model>
ListedInput listed_input(const Model& model, OutletId wire) {
  if (wire.is_absent()) return {};
  ListedInput out{wire_name(model, wire), {}};
  if (const auto value = constant_of(model.node(wire.node).op)) out.constant = value->to_string();
  return out;
}

/// Moves the bodies of a node from its attributes to `bodies`.
void add_bodies(const TypedOp&, ListedNode& out) {
  std::erase_if(out.attributes, [&](const NamedAttr& attribute) {
    const Body* body = std::get_if<Body>(&attribute.value);
    if (body && *body) out.bodies.push_back({std::string(attribute.name), list(**body)});
    return body != nullptr;
  });
}

void add_bodies(const hir::InferenceOp& op, ListedNode& out) {
  std::size_t number = 0;
  for (const hir::InferenceBody& body : op.bodies())
    out.bodies.push_back({cat("body ", number++), list(*body)});
}

template <class Model>
ListedGraph list_model(const Model& model) {
  ListedGraph out;
  for (const OutletId input : model.inputs())
    out.inputs.push_back(listed(wire_name(model, input), model.fact(input)));
  for (const std::uint32_t id : model.order()) {
    const auto& node = model.node(id);
    if (node.op.name() == "Source" || constant_of(node.op)) continue;
    ListedNode line{.name = node.name,
                    .op = op_name(model, id),
                    .attributes = op_attributes(node.op),
                    .why = why(model, id),
                    .inputs = {},
                    .outputs = {},
                    .bodies = {}};
    // A member of a family is named after its `op` attribute, which need not be shown again.
    if (line.op != node.op.name())
      std::erase_if(line.attributes,
                    [](const NamedAttr& attribute) { return attribute.name == "op"; });
    add_bodies(node.op, line);
    for (const OutletId input : node.inputs) line.inputs.push_back(listed_input(model, input));
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot)
      line.outputs.push_back(listed(wire_name(model, {id, slot}), node.outputs[slot].fact));
    out.nodes.push_back(std::move(line));
  }
  for (const GraphOutput& output : model.outputs())
    out.outputs.emplace_back(listed_input(model, output.outlet),
                             listed(output.name, model.fact(output.outlet)));
  return out;
}

void add_constant(const Value& value, Summary& out) {
  ++out.constants;
  if (!value.is_tensor()) return;
  const Tensor& tensor = value.tensor();
  if (bit_width(tensor.dtype()) > 0) out.constant_bytes += static_cast<double>(tensor.byte_size());
  if (is_float(tensor.dtype())) out.parameters += static_cast<double>(tensor.size());
}

template <class Model>
void add_counts(const Model& model, Summary& out) {
  for (std::uint32_t id = 0; id < model.nodes().size(); ++id) {
    const auto& node = model.node(id);
    if (node.erased || node.op.name() == "Source") continue;
    if (const auto value = constant_of(node.op)) {
      add_constant(*value, out);
      continue;
    }
    ++out.nodes;
    ++out.ops[op_name(model, id)];
    for (const auto& body : node.op.bodies()) add_counts(*body, out);
  }
}

/// `fact` with some number for each size that is not known.
Fact with_some_sizes(const Fact& fact) {
  constexpr std::int64_t kSomeSize = 64;  // large enough for the windows of most models
  Fact out = fact;
  if (!fact.is_tensor()) return out;
  std::vector<Dim> dims;
  if (fact.shape.is_known()) dims = fact.shape.dims();
  for (Dim& dim : dims)
    if (!dim.is_constant()) dim = kSomeSize;
  out.shape = ShapeFact(std::move(dims));
  return out;
}

/// Whether a node has FLOPs that cannot be counted because its sizes are not known. To tell, its
/// cost is computed for some sizes in their place: an op without FLOPs costs nothing for any sizes,
/// and an op that refuses these is taken to have some.
bool has_uncounted_flops(const TypedModel& model, const TypedNode& node) {
  FactList in, out;
  bool all_known = true;
  const auto sized = [&](const Fact& fact) {
    all_known &= !fact.is_tensor() || fact.shape.concrete().has_value();
    return with_some_sizes(fact);
  };
  for (const OutletId input : node.inputs) in.push_back(sized(model.fact(input)));
  for (const auto& output : node.outputs) out.push_back(sized(output.fact));
  if (all_known) return false;
  try {
    return node.op.cost(GatheredFacts(in), GatheredFacts(out)).flops != 0;
  } catch (const Error&) {
    return true;
  }
}

bool has_uncounted_flops(const TypedModel& model) {
  const auto has_uncounted = [](const Body& body) { return has_uncounted_flops(*body); };
  for (const TypedNode& node : model.nodes()) {
    if (node.erased) continue;
    const auto& bodies = node.op.bodies();
    if (std::any_of(bodies.begin(), bodies.end(), has_uncounted)) return true;
    if (bodies.empty() && has_uncounted_flops(model, node)) return true;
  }
  return false;
}

}  // namespace

ListedGraph list(const InferenceModel& model) { return list_model(model); }
ListedGraph list(const TypedModel& model) { return list_model(model); }

Summary summarise(const InferenceModel& model) {
  Summary out;
  add_counts(model, out);
  return out;
}

Summary summarise(const TypedModel& model) {
  Summary out;
  add_counts(model, out);
  out.has_uncounted = has_uncounted_flops(model);
  if (!out.has_uncounted) out.flops = model.cost().flops;
  return out;
}

}  // namespace strata::cli
