#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "environment.h"
#include "message_arena.h"
#include "strata/core/limits.h"
#include "strata/hir/inference_fact.h"

namespace strata::onnx {

/// A function: a body of nodes with named inputs, outputs and attributes.
struct Function {
  std::string name;  ///< with its domain, for messages
  const FunctionProto* body = nullptr;
  OpsetVersions opsets;
  Attributes defaults;                  ///< attributes that a call may leave out
  std::vector<std::string> attributes;  ///< all a call may give
};

/// The opsets of a list of imports. Throws: invalid_model when two of a domain differ, or a version
/// is below 1; unsupported when one is newer than this build.
OpsetVersions opsets_of(List<OperatorSetIdProto> imports);

/// Throws: limit when there are too many `calls` around a call.
void check_call_depth(std::size_t calls, const Limits& limits);

/// The functions that a model may call: its own, and those by which the standard defines some of
/// its ops.
class Functions {
 public:
  /// The functions of `model`, which imports the opsets `imported`. The model must outlive this,
  /// and so must `arena`, where the bodies of standard functions are put. Throws: invalid_model
  /// when two functions have the same name; for opsets as opsets_of.
  Functions(const ModelProto& model, const OpsetVersions& imported, MessageArena& arena);

  /// The model's own function that `node` calls, or null.
  const Function* find_local(const NodeProto& node) const;
  /// The standard's body for `node`, whose attributes are resolved, for `inputs`; or null. A body
  /// may depend on both, so that each call makes a new one. `opsets` is what the caller imports.
  const Function* expand_standard(const NodeProto& node,
                                  const std::vector<hir::InferenceFact>& inputs,
                                  const OpsetVersions& opsets);
  /// Whether the standard, as far as libonnx knows it, has such an op.
  static bool is_standard(Text domain, Text op_type);
  /// Whether libonnx has a body for this version of an op, or for the one before it that it knows.
  static bool has_body(const std::string& domain, const std::string& op_type, int version);

 private:
  Function& add(const FunctionProto& body, OpsetVersions opsets);
  template <class Message>
  const Message& read(std::string bytes);

  MessageArena& arena_;
  std::list<Function> functions_;
  std::map<std::string, const Function*> local_;
  std::list<std::string> made_;  ///< bytes of messages
};

}  // namespace strata::onnx
