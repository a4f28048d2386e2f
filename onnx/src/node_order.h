#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace strata::onnx {

using NodeProtos = ::google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// `name "x"` of a node for messages: its name, or that of its first output.
std::string label_of(const ::onnx::NodeProto& node);

/// Names that the subgraphs of `node` read and do not define, each once, in the order they are met.
std::vector<std::string> captured_names(const ::onnx::NodeProto& node);

/// Indices of `nodes`, every node after those whose outputs it or its subgraphs read; the order of
/// the file where that is such an order. Throws: invalid_model for a cycle and for a name that two
/// nodes define.
std::vector<int> node_order(const NodeProtos& nodes);

}  // namespace strata::onnx
