#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace strata::onnx {

using NodeProtos = ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// `name "x"` of a node for messages: its name, or that of its first output.
std::string label_of(const ::onnx::NodeProto& node);

/// Whether the node has a graph among its attributes.
bool has_subgraphs(const ::onnx::NodeProto& node);

/// The names that subgraphs read and do not define, each once, in the order they are met; worked out
/// once for each graph. The graphs outlive it.
class CapturedNames {
 public:
  using Names = std::vector<std::string_view>;

  /// Those of all subgraphs of `node`.
  Names of(const ::onnx::NodeProto& node);
  const Names& of(const ::onnx::GraphProto& graph);

 private:
  std::unordered_map<const ::onnx::GraphProto*, Names> graphs_;
};

/// Indices of `nodes`, every node after those whose outputs it or its subgraphs read; the order of
/// the file where that is such an order. Throws: invalid_model for a cycle and for a name that two
/// nodes define.
std::vector<int> node_order(const NodeProtos& nodes, CapturedNames& captured);

}  // namespace strata::onnx
