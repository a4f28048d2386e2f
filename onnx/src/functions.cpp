#include "functions.h"

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

// Fields that libonnx's messages do not have yet; they are among a message's unknown fields.
constexpr int kNodeOverload = 8;
constexpr int kFunctionOverload = 13;
constexpr int kFunctionDefaults = 11;

std::vector<std::string> unknown_texts(const ::google::protobuf::Message& message, int number) {
  std::vector<std::string> out;
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number &&
        field.type() == ::google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      out.push_back(field.length_delimited());
  }
  return out;
}

std::string key_of(const std::string& domain, const std::string& name,
                   const std::vector<std::string>& overload) {
  return cat(long_domain(short_domain(domain)), '.', name,
             overload.empty() || overload.back().empty() ? "" : ":" + overload.back());
}

OpsetVersions opsets_of(const ::onnx::FunctionProto& body) {
  OpsetVersions out;
  for (const auto& opset : body.opset_import())
    out[short_domain(opset.domain())] = static_cast<int>(opset.version());
  return out;
}

const ::onnx::OpSchema* schema_of(const ::onnx::NodeProto& node, const OpsetVersions& opsets) {
  const std::string domain = short_domain(node.domain());
  const auto version = opsets.find(domain);
  if (version == opsets.end()) return nullptr;
  return ::onnx::OpSchemaRegistry::Schema(node.op_type(), version->second, domain);
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
  try {
    if (!schema.BuildContextDependentFunction(context, body)) return std::nullopt;
    return body;
  } catch (const std::exception& error) {
    fail(ErrorKind::invalid_model,
         cat("no body can be made for ", node.op_type(), ": ", error.what()));
  }
}

}  // namespace

Functions::Functions(::onnx::ModelProto& model) {
  OpsetVersions imported;
  for (const auto& opset : model.opset_import())
    imported[short_domain(opset.domain())] = static_cast<int>(opset.version());
  for (auto& body : *model.mutable_functions()) {
    const std::string key =
        key_of(body.domain(), body.name(), unknown_texts(body, kFunctionOverload));
    OpsetVersions opsets = opsets_of(body);
    // A function may call its siblings without importing their domain.
    opsets.insert(imported.begin(), imported.end());
    Function& function = add(body, std::move(opsets));
    function.name = key;
    check(local_.emplace(key, &function).second, "function ", in_quotes(key), " is defined twice");
  }
}

Function& Functions::add(::onnx::FunctionProto& body, OpsetVersions opsets) {
  Function& function = functions_.emplace_back();
  function.name = cat(long_domain(short_domain(body.domain())), '.', body.name());
  function.body = &body;
  function.opsets = std::move(opsets);
  function.attributes.assign(body.attribute().begin(), body.attribute().end());
  for (const std::string& bytes : unknown_texts(body, kFunctionDefaults)) {
    ::onnx::AttributeProto& attribute = defaults_.emplace_back();
    check(attribute.ParseFromString(bytes), "a default of function ", in_quotes(function.name),
          " cannot be read");
    function.defaults[attribute.name()] = &attribute;
    function.attributes.push_back(attribute.name());
  }
  return function;
}

const Function* Functions::find_local(const ::onnx::NodeProto& node) const {
  if (local_.empty()) return nullptr;
  const auto found =
      local_.find(key_of(node.domain(), node.op_type(), unknown_texts(node, kNodeOverload)));
  return found == local_.end() ? nullptr : found->second;
}

const Function* Functions::expand_standard(const ::onnx::NodeProto& node,
                                           const std::vector<::onnx::TypeProto>& types,
                                           const OpsetVersions& opsets) {
  const ::onnx::OpSchema* schema = schema_of(node, opsets);
  if (!schema || schema->deprecated() || !knows_attributes(*schema, node)) return nullptr;
  auto body = build_body(*schema, node, types);
  if (!body) return nullptr;
  OpsetVersions used = opsets_of(*body);
  if (used.empty()) used = opsets;
  Function& function = add(made_.emplace_back(*std::move(body)), std::move(used));
  for (const auto& [name, attribute] : schema->attributes()) {
    function.attributes.push_back(name);
    if (attribute.default_value.has_name())
      function.defaults[name] = &defaults_.emplace_back(attribute.default_value);
  }
  return &function;
}

bool Functions::is_standard(const std::string& domain, const std::string& op_type) {
  return ::onnx::OpSchemaRegistry::Schema(op_type, domain) != nullptr;
}

bool Functions::has_body(const std::string& domain, const std::string& op_type, int version) {
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(op_type, version, domain);
  return schema && !schema->deprecated() &&
         (schema->HasFunction() || schema->HasContextDependentFunction());
}

}  // namespace strata::onnx
