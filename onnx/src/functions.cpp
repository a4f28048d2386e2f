#include "functions.h"

#include <optional>

#include "message_reader.h"
#include "message_writer.h"
#include "standard_functions.h"
#include "strata/core/error.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {
namespace {

std::string key_of(Text domain, Text name, Text overload) {
  return cat(long_domain(short_domain(domain)), '.', name, overload.empty() ? "" : ":", overload);
}

/// The newest opset of each standard domain that this build understands.
constexpr int kNewestOnnx = 28;
constexpr int kNewestMl = 5;

void check_newest(std::string_view domain, std::int64_t version) {
  check(version >= 1, "opset ", version, " of ", long_domain(domain),
        " is imported; versions begin at 1");
  const int newest = domain.empty() ? kNewestOnnx : domain == "ai.onnx.ml" ? kNewestMl : INT32_MAX;
  require(version <= newest, ErrorKind::unsupported, "opset ", version, " of ", long_domain(domain),
          " is too new: up to ", newest, " is supported");
}

/// Those of a function that is called `key`.
OpsetVersions opsets_of(const FunctionProto& body, const std::string& key) {
  try {
    return opsets_of(body.opset_import);
  } catch (Error& error) {
    throw error.in(cat("function ", in_quotes(key)));
  }
}

/// The part of `fact` that a TypeProto can hold: the element type, and the shape where it is known.
TypeProto type_of(const hir::InferenceFact& fact, MessageArena& arena) {
  TypeProto out;
  const auto holder = [&] {
    auto* type = arena.make<HolderTypeProto>(1);
    type->elem_type = arena.make<TypeProto>(1);
    *type->elem_type = type_of(*fact.element, arena);
    return type;
  };
  if (fact.kind == ValueType::Kind::sequence && fact.element) out.sequence_type = holder();
  if (fact.kind == ValueType::Kind::optional && fact.element) out.optional_type = holder();
  if (fact.kind != ValueType::Kind::tensor || !fact.dtype) return out;
  out.tensor_type = arena.make<TensorTypeProto>(1);
  out.tensor_type->elem_type = onnx_data_type(*fact.dtype);
  if (!fact.shape) return out;
  out.tensor_type->shape = arena.make<ShapeProto>(1);
  const auto dims = arena.make_list<DimProto>(fact.shape->size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (const auto& dim = (*fact.shape)[i]) dims[i].value = dim->constant();
  out.tensor_type->shape->dim = dims;
  return out;
}

/// Throws: invalid_model when no body can be made for the node.
std::optional<StandardFunction> find_standard(const NodeProto& node, int version,
                                              const std::vector<hir::InferenceFact>& inputs) {
  const StandardFunctions* known = standard_functions();
  if (!known) return std::nullopt;
  MessageArena arena;
  std::vector<std::string> types;
  for (const hir::InferenceFact& input : inputs) types.push_back(encoded(type_of(input, arena)));
  try {
    return known->find(encoded(node), version, types);
  } catch (const std::exception& error) {
    fail(ErrorKind::invalid_model, "no body can be made for ", node.op_type, ": ", error.what());
  }
}

}  // namespace

OpsetVersions opsets_of(List<OperatorSetIdProto> imports) {
  OpsetVersions out;
  for (const OperatorSetIdProto& opset : imports) {
    const std::string domain(short_domain(opset.domain));
    check_newest(domain, opset.version);
    const auto [first, is_new] = out.emplace(domain, static_cast<int>(opset.version));
    check(is_new || first->second == opset.version, "domain ", long_domain(domain),
          " is imported as opset ", first->second, " and as opset ", opset.version);
  }
  return out;
}

void check_call_depth(std::size_t calls, const Limits& limits) {
  require(std::cmp_less(calls, limits.nesting), ErrorKind::limit,
          "functions call one another deeper than ", limits.nesting, " (Limits::nesting)");
}

Functions::Functions(const ModelProto& model, const OpsetVersions& imported, MessageArena& arena)
    : arena_(arena) {
  for (const FunctionProto& body : model.functions) {
    const std::string key = key_of(body.domain, body.name, body.overload);
    OpsetVersions opsets = opsets_of(body, key);
    // A function may call its siblings without importing their domain.
    opsets.insert(imported.begin(), imported.end());
    Function& function = add(body, std::move(opsets));
    function.name = key;
    check(local_.emplace(key, &function).second, "function ", in_quotes(key), " is defined twice");
  }
}

Function& Functions::add(const FunctionProto& body, OpsetVersions opsets) {
  Function& function = functions_.emplace_back();
  function.name = cat(long_domain(short_domain(body.domain)), '.', body.name);
  function.body = &body;
  function.opsets = std::move(opsets);
  function.attributes.assign(body.attribute.begin(), body.attribute.end());
  for (const AttributeProto& attribute : body.attribute_proto) {
    function.defaults[std::string(attribute.name)] = &attribute;
    function.attributes.emplace_back(attribute.name);
  }
  return function;
}

template <class Message>
const Message& Functions::read(std::string bytes) {
  const auto* out = read_message<Message>(made_.emplace_back(std::move(bytes)), arena_);
  require(out, ErrorKind::internal, "what libonnx knows of a function cannot be read");
  return *out;
}

const Function* Functions::find_local(const NodeProto& node) const {
  if (local_.empty()) return nullptr;
  const auto found = local_.find(key_of(node.domain, node.op_type, node.overload));
  return found == local_.end() ? nullptr : found->second;
}

const Function* Functions::expand_standard(const NodeProto& node,
                                           const std::vector<hir::InferenceFact>& inputs,
                                           const OpsetVersions& opsets) {
  const auto version = opsets.find(short_domain(node.domain));
  if (version == opsets.end()) return nullptr;
  auto found = find_standard(node, version->second, inputs);
  if (!found) return nullptr;
  const auto& body = read<FunctionProto>(std::move(found->body));
  OpsetVersions used = opsets_of(body.opset_import);
  if (used.empty()) used = opsets;
  Function& function = add(body, std::move(used));
  for (StandardAttribute& attribute : found->attributes) {
    function.attributes.push_back(attribute.name);
    if (attribute.otherwise)
      function.defaults[attribute.name] = &read<AttributeProto>(*std::move(attribute.otherwise));
  }
  return &function;
}

bool Functions::is_standard(Text domain, Text op_type) {
  const StandardFunctions* known = standard_functions();
  return known && known->has_op(std::string(domain), std::string(op_type));
}

bool Functions::has_body(const std::string& domain, const std::string& op_type, int version) {
  const StandardFunctions* known = standard_functions();
  return known && known->has_body(domain, op_type, version);
}

}  // namespace strata::onnx
