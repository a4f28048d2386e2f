#include <onnx/defs/schema.h>

#include <algorithm>
#include <stdexcept>

#include "environment.h"
#include "standard_functions.h"

namespace strata::onnx {
namespace {

const ::onnx::OpSchema* schema_of(const std::string& domain, const std::string& op_type,
                                  int version) {
  return ::onnx::OpSchemaRegistry::Schema(op_type, version, std::string(short_domain(domain)));
}

/// Whether `schema` is of a version that knows all of the node's attributes: libonnx may be older
/// than the model.
bool knows_attributes(const ::onnx::OpSchema& schema, const ::onnx::NodeProto& node) {
  return std::all_of(node.attribute().begin(), node.attribute().end(), [&](const auto& attribute) {
    return schema.attributes().contains(attribute.name());
  });
}

std::optional<::onnx::FunctionProto> build_body(const ::onnx::OpSchema& schema,
                                                const ::onnx::NodeProto& node,
                                                const std::vector<::onnx::TypeProto>& types) {
  if (schema.HasFunction()) return *schema.GetFunction();
  if (!schema.HasContextDependentFunction()) return std::nullopt;
  const ::onnx::FunctionBodyBuildContextImpl context(node, types);
  ::onnx::FunctionProto body;
  if (!schema.BuildContextDependentFunction(context, body)) return std::nullopt;
  return body;
}

bool has_op(const std::string& domain, const std::string& op_type) {
  return ::onnx::OpSchemaRegistry::Schema(op_type, std::string(short_domain(domain))) != nullptr;
}

bool has_body(const std::string& domain, const std::string& op_type, int version) {
  const ::onnx::OpSchema* schema = schema_of(domain, op_type, version);
  return schema && !schema->deprecated() &&
         (schema->HasFunction() || schema->HasContextDependentFunction());
}

template <class Proto>
Proto parsed(const std::string& bytes) {
  Proto out;
  if (!out.ParseFromString(bytes)) throw std::runtime_error("a message of the node is damaged");
  return out;
}

std::optional<StandardFunction> find(const std::string& node_bytes, int version,
                                     const std::vector<std::string>& type_bytes) {
  const auto node = parsed<::onnx::NodeProto>(node_bytes);
  const ::onnx::OpSchema* schema = schema_of(node.domain(), node.op_type(), version);
  if (!schema || schema->deprecated() || !knows_attributes(*schema, node)) return std::nullopt;
  std::vector<::onnx::TypeProto> types;
  for (const std::string& type : type_bytes) types.push_back(parsed<::onnx::TypeProto>(type));
  const auto body = build_body(*schema, node, types);
  if (!body) return std::nullopt;
  StandardFunction out{body->SerializeAsString(), {}};
  for (const auto& [name, attribute] : schema->attributes()) {
    StandardAttribute& added = out.attributes.emplace_back(StandardAttribute{name, std::nullopt});
    if (attribute.default_value.has_name())
      added.otherwise = attribute.default_value.SerializeAsString();
  }
  return out;
}

}  // namespace

const StandardFunctions* libonnx_functions() {
  static constexpr StandardFunctions kFunctions{has_op, has_body, find};
  return &kFunctions;
}

}  // namespace strata::onnx
