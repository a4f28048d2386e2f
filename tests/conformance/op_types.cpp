#include <onnx/onnx_pb.h>

#include <fstream>

#include "cases.h"

namespace strata::conformance {
namespace {

void collect(const ::onnx::NodeProto& node, std::set<std::string>& out);

template <class Nodes>
void collect_all(const Nodes& nodes, std::set<std::string>& out) {
  for (const ::onnx::NodeProto& node : nodes) collect(node, out);
}

void collect(const ::onnx::NodeProto& node, std::set<std::string>& out) {
  const bool is_default = node.domain().empty() || node.domain() == "ai.onnx";
  out.insert(is_default ? node.op_type() : node.domain() + '.' + node.op_type());
  for (const auto& attribute : node.attribute()) {
    collect_all(attribute.g().node(), out);
    for (const auto& graph : attribute.graphs()) collect_all(graph.node(), out);
  }
}

}  // namespace

std::set<std::string> op_types(const std::filesystem::path& model) {
  std::ifstream file(model, std::ios::binary);
  ::onnx::ModelProto proto;
  std::set<std::string> out;
  if (!proto.ParseFromIstream(&file)) return out;
  collect_all(proto.graph().node(), out);
  for (const auto& function : proto.functions()) collect_all(function.node(), out);
  return out;
}

}  // namespace strata::conformance
