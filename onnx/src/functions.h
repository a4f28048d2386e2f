#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "environment.h"

namespace strata::onnx {

/// A function: a body of nodes with named inputs, outputs and attributes.
struct Function {
  std::string name;  ///< with its domain, for messages
  ::onnx::FunctionProto* body = nullptr;
  OpsetVersions opsets;
  Attributes defaults;                  ///< attributes that a call may leave out
  std::vector<std::string> attributes;  ///< all a call may give
};

/// The functions that a model may call: its own, and those by which the standard defines some of
/// its ops.
class Functions {
 public:
  /// Those of `model`, which must outlive this. Throws: invalid_model when two are alike.
  explicit Functions(::onnx::ModelProto& model);

  /// The model's own function that `node` calls, or null.
  const Function* find_local(const ::onnx::NodeProto& node) const;
  /// The standard's body for `node`, whose attributes are resolved and whose inputs have `types`;
  /// or null. A body may depend on both, so that each call makes a new one. `opsets` is what the
  /// caller imports.
  const Function* expand_standard(const ::onnx::NodeProto& node,
                                  const std::vector<::onnx::TypeProto>& types,
                                  const OpsetVersions& opsets);
  /// Whether the standard, as far as libonnx knows it, has such an op.
  static bool is_standard(const std::string& domain, const std::string& op_type);
  /// Whether libonnx has a body for this version of an op, or for the one before it that it knows.
  static bool has_body(const std::string& domain, const std::string& op_type, int version);

 private:
  Function& add(::onnx::FunctionProto& body, OpsetVersions opsets);

  std::list<Function> functions_;
  std::map<std::string, const Function*> local_;
  std::list<::onnx::FunctionProto> made_;
  std::list<::onnx::AttributeProto> defaults_;
};

}  // namespace strata::onnx
