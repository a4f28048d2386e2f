#include "functions.h"

#include <onnx/onnx_pb.h>

#include <optional>

#include "standard_functions.h"
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
    out[std::string(short_domain(opset.domain()))] = static_cast<int>(opset.version());
  return out;
}

/// Throws: invalid_model when no body can be made for the node.
std::optional<StandardFunction> find_standard(const ::onnx::NodeProto& node, int version,
                                              const std::vector<::onnx::TypeProto>& types) {
  const StandardFunctions* known = standard_functions();
  if (!known) return std::nullopt;
  try {
    return known->find(node, version, types);
  } catch (const std::exception& error) {
    fail(ErrorKind::invalid_model,
         cat("no body can be made for ", node.op_type(), ": ", error.what()));
  }
}

}  // namespace

Functions::Functions(::onnx::ModelProto& model) {
  OpsetVersions imported;
  for (const auto& opset : model.opset_import())
    imported[std::string(short_domain(opset.domain()))] = static_cast<int>(opset.version());
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
  const auto version = opsets.find(short_domain(node.domain()));
  if (version == opsets.end()) return nullptr;
  auto found = find_standard(node, version->second, types);
  if (!found) return nullptr;
  OpsetVersions used = opsets_of(found->body);
  if (used.empty()) used = opsets;
  Function& function = add(made_.emplace_back(std::move(found->body)), std::move(used));
  for (StandardAttribute& attribute : found->attributes) {
    function.attributes.push_back(attribute.name);
    if (attribute.otherwise)
      function.defaults[attribute.name] = &defaults_.emplace_back(*std::move(attribute.otherwise));
  }
  return &function;
}

bool Functions::is_standard(const std::string& domain, const std::string& op_type) {
  const StandardFunctions* known = standard_functions();
  return known && known->has_op(domain, op_type);
}

bool Functions::has_body(const std::string& domain, const std::string& op_type, int version) {
  const StandardFunctions* known = standard_functions();
  return known && known->has_body(domain, op_type, version);
}

}  // namespace strata::onnx
