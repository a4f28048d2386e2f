#include "block.h"

#include <algorithm>
#include <functional>

#include "gradient_body.h"
#include "graph_builder.h"
#include "node_args.h"
#include "ops/contrib.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// A search for a similar name looks at no more names than this.
constexpr std::size_t kHintNames = 20000;

std::string base_name(const NodeProto& node, std::size_t index) {
  if (!node.name.empty()) return std::string(node.name);
  for (const Text output : node.output)
    if (!output.empty()) return std::string(output);
  return cat(node.op_type, '_', index);
}

std::string hint(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? std::string() : cat("; did you mean ", in_quotes(nearest), '?');
}

bool is_ml(const NodeProto& node) { return node.domain == "ai.onnx.ml"; }

/// Whether the op's input is a map.
bool takes_map(const NodeProto& node) {
  return is_ml(node) && (node.op_type == "CastMap" || node.op_type == "DictVectorizer");
}

/// How many outputs there are up to the last that has a name.
std::size_t wanted_outputs(const NodeProto& node) {
  std::size_t count = node.output.size();
  while (count > 0 && node.output[count - 1].empty()) --count;
  return count;
}

/// Whether the op's output is a sequence of maps.
bool gives_maps(const NodeProto& node) { return is_ml(node) && node.op_type == "ZipMap"; }

[[noreturn]] void fail_too_new(const OpKind& kind, int opset) {
  const std::vector<int>& versions = kind.entry->versions;
  fail(ErrorKind::invalid_model, "op ", in_quotes(kind.op_type), " came with opset ",
       *std::min_element(versions.begin(), versions.end()), ", the model imports ", opset);
}

[[noreturn]] void fail_unknown(const NodeProto& node, int opset) {
  const Text domain = short_domain(node.domain), op = node.op_type;
  const auto known = registry().names(domain);
  // Only some of ONNX Runtime's own ops are known here, so a missing one may well exist.
  if (known.empty() || domain == kContrib)
    fail(ErrorKind::unsupported, "op ", in_quotes(op), " of domain ", in_quotes(domain),
         " is not supported", hint(op, known));
  if (Functions::is_standard(domain, op))
    fail(ErrorKind::unsupported, "op ", in_quotes(op), " of opset ", opset, " is not supported");
  fail(ErrorKind::unsupported, "op ", in_quotes(op), " of domain ", long_domain(domain),
       " is not known", hint(op, known));
}

}  // namespace

std::string GraphTarget::free_name(std::string base) {
  const auto is_free = [&](const std::string& name) {
    return !model.has_name(name) && (next.empty() || !next.contains(name));
  };
  if (is_free(base)) return base;
  std::size_t& number = next.emplace(base, 1).first->second;
  for (;;)
    if (std::string name = cat(base, '.', number++); is_free(name)) return name;
}

void Scope::define(HashedName name, OutletId wire) {
  check(!maps_.contains(name) && wires_.add(name, wire), in_quotes(name.text), " is defined twice");
}

void Scope::define(HashedName name, MapWires map) {
  check(!wires_.contains(name) && maps_.add(name, map), in_quotes(name.text), " is defined twice");
}

std::optional<OutletId> Scope::find(HashedName name) const {
  if (const OutletId* wire = wires_.find(name)) return *wire;
  return outer_ ? outer_->find(name) : std::nullopt;
}

std::optional<MapWires> Scope::find_map(HashedName name) const {
  if (const MapWires* map = maps_.find(name)) return *map;
  return outer_ ? outer_->find_map(name) : std::nullopt;
}

OutletId Scope::wire(HashedName name) const {
  if (const auto wire = find(name)) return *wire;
  require(!find_map(name), ErrorKind::unsupported, in_quotes(name.text), " is a map");
  std::vector<std::string> names;
  if (wires_.size() <= kHintNames)
    for (const auto& [known, outlet] : wires_) names.emplace_back(known);
  std::sort(names.begin(), names.end());
  fail(ErrorKind::invalid_model, "nothing defines ", in_quotes(name.text), hint(name.text, names));
}

void Block::add(const NodeProtos& nodes) {
  nodes_ = &nodes;
  scope_.expect(nodes.size());
  for (const std::size_t index : node_order(nodes, context_.names)) add_node(nodes[index], index);
}

void Block::add_node(NodeProto& node, std::size_t index) {
  require(++context_.nodes <= context_.limits.nodes, ErrorKind::limit, "the model has more than ",
          counted(context_.limits.nodes, "node"), " (Limits::nodes)");
  std::string name = target_.free_name(environment_.prefix + base_name(node, index));
  try {
    if (const Function* local = context_.functions.find_local(node))
      return add_call(node, *local, nullptr, name);
    if (const OpKind& kind = kind_of(node); kind.entry)
      return add_op(node, index, kind, std::move(name));
    // The body may contain a graph attribute of the node, which reads names of this scope.
    if (const Function* standard = standard_function(node))
      return add_call(node, *standard, &scope_, name);
    fail_unknown(node, opset_of(node));
  } catch (Error& error) {
    throw error.in(cat(node.op_type, ' ', in_quotes(name), " (node ", index, ", ",
                       kind_of(node).origin->text, ')'));
  }
}

void Block::add_op(NodeProto& node, std::size_t index, const OpKind& kind, std::string&& name) {
  if (kind.version == 0) fail_too_new(kind, opset_of(node));
  if (is_gradient(node)) give_gradient_body(node, *nodes_, context_.arena);
  std::optional<Captures> captures;  // where there are subgraphs
  const auto build = [&](const GraphProto& graph) {
    if (!captures) captures = captures_of(node);
    return build_subgraph(graph, context_, environment_, *captures, target_.depth + 1);
  };
  ProtoNodeArgs args(node, kind.version, environment_, context_.tensors, std::cref(build));
  hir::InferenceOp op = kind.entry->parse(args);
  args.expect_all_read();
  OutletIds inputs = inputs_of(node);
  if (captures)
    for (const Text captured : captures->names) inputs.push_back(scope_.wire(captured));
  check(!gives_maps(node) || node.output.size() == 1, "ZipMap has ",
        counted(node.output.size(), "output"));
  const std::size_t slots = gives_maps(node) ? 2 : node.output.size();
  std::vector<hir::InferenceFact> facts(slots);
  define_outputs(node, static_cast<std::uint32_t>(target_.model.nodes().size()));
  const std::uint32_t id =
      target_.model.add_node(std::move(name), std::move(op), std::move(inputs), std::move(facts));
  target_.model.set_place(id, {kind.origin, static_cast<std::uint32_t>(index)});
  if (const std::size_t wanted = wanted_outputs(node); wanted < node.output.size())
    target_.model.set_wanted_outputs(id, wanted);
}

OutletIds Block::inputs_of(const NodeProto& node) const {
  OutletIds out;
  const bool is_of_map = takes_map(node);
  for (const Text input : node.input) {
    const auto map = is_of_map ? scope_.find_map(input) : std::nullopt;
    require(map || !is_of_map, ErrorKind::invalid_model, in_quotes(input), " is no map");
    if (map)
      out.insert(out.end(), {map->keys, map->values});
    else
      out.push_back(input.empty() ? kAbsent : scope_.wire(input));
  }
  return out;
}

void Block::define_outputs(const NodeProto& node, std::uint32_t id) {
  if (gives_maps(node)) return scope_.define(node.output[0], MapWires{{id, 0}, {id, 1}});
  for (std::uint32_t slot = 0; slot < node.output.size(); ++slot)
    if (!node.output[slot].empty()) scope_.define(node.output[slot], OutletId{id, slot});
}

void Block::add_call(const NodeProto& node, const Function& function, const Scope* outer,
                     const std::string& name) {
  target_.take_for_call(name);
  check_call(node, function);
  const FunctionProto& body = *function.body;
  Scope inner(outer);
  for (std::size_t i = 0; i < body.input.size(); ++i) {
    const bool is_given = i < node.input.size() && !node.input[i].empty();
    if (const auto map = is_given ? scope_.find_map(node.input[i]) : std::nullopt)
      inner.define(body.input[i], *map);
    else
      inner.define(body.input[i], is_given ? scope_.wire(node.input[i]) : kAbsent);
  }
  const Environment environment = environment_of_call(node, function, name);
  Block(context_, environment, target_, inner).add(body.node);
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    if (const auto map = inner.find_map(body.output[i]))
      scope_.define(node.output[i], *map);
    else
      scope_.define(node.output[i], inner.wire(body.output[i]));
  }
}

void Block::check_call(const NodeProto& node, const Function& function) const {
  const auto& calls = environment_.calls;
  check(std::find(calls.begin(), calls.end(), function.name) == calls.end(), "function ",
        in_quotes(function.name), " calls itself");
  check_call_depth(calls.size(), context_.limits);
  const FunctionProto& body = *function.body;
  check(node.input.size() <= body.input.size(), "function ", in_quotes(function.name), " takes ",
        counted(body.input.size(), "input"), ", ", node.input.size(), " given");
  const std::size_t wanted = wanted_outputs(node);
  check(wanted <= body.output.size(), "function ", in_quotes(function.name), " has ",
        counted(body.output.size(), "output"), ", the node ", wanted);
}

Environment Block::environment_of_call(const NodeProto& node, const Function& function,
                                       const std::string& name) const {
  Environment out{function.opsets, function.defaults, environment_.calls, name + "/"};
  out.calls.push_back(function.name);
  for (const AttributeProto& attribute : node.attribute) {
    const auto& known = function.attributes;
    check(std::find(known.begin(), known.end(), attribute.name) != known.end(), "attribute ",
          in_quotes(attribute.name), " is not one that function ", in_quotes(function.name),
          " has");
    if (const auto* value = resolve_attribute(attribute, environment_))
      out.attributes[std::string(attribute.name)] = value;
  }
  return out;
}

const Function* Block::standard_function(const NodeProto& node) {
  std::vector<AttributeProto> attributes;
  for (const AttributeProto& attribute : node.attribute)
    if (const auto* value = resolve_attribute(attribute, environment_)) {
      attributes.push_back(*value);
      attributes.back().name = attribute.name;
    }
  NodeProto resolved = node;
  resolved.attribute = List<AttributeProto>(attributes);
  std::vector<hir::InferenceFact> facts;
  for (const Text input : node.input) {
    const OutletId wire = input.empty() ? kAbsent : scope_.wire(input);
    facts.push_back(wire.is_absent() ? hir::InferenceFact() : target_.model.fact(wire));
  }
  return context_.functions.expand_standard(resolved, facts, environment_.opsets);
}

Captures Block::captures_of(const NodeProto& node) const {
  Captures captures;
  for (const std::string_view name : context_.names.captured_by(node)) {
    const auto wire = scope_.find(name);
    // A name that nobody defines is reported by the node that reads it, whose error says more.
    if (!wire) continue;
    (wire->is_absent() ? captures.absent : captures.names).emplace_back(name);
  }
  return captures;
}

int Block::opset_of(const NodeProto& node) const {
  const auto opset = environment_.opsets.find(short_domain(node.domain));
  check(opset != environment_.opsets.end(), "no opset of domain ",
        long_domain(short_domain(node.domain)), " is imported");
  return opset->second;
}

const OpKind& Block::kind_of(const NodeProto& node) {
  const std::string_view domain = short_domain(node.domain);
  const auto opset = environment_.opsets.find(domain);
  const bool is_imported = opset != environment_.opsets.end();
  return context_.kinds.of(node.op_type, domain, is_imported ? opset->second : 0);
}

}  // namespace strata::onnx
