#include "scope_checks.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <string_view>

#include "name_map.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// Walks graphs in the order of the file, and knows the names visible at each place.
class ScopeWalk {
 public:
  explicit ScopeWalk(CapturedNames& captured) : captured_(captured) {}

  void graph(const ::onnx::GraphProto& graph) {
    if (!std::any_of(graph.node().begin(), graph.node().end(), has_subgraphs))
      return check_outputs(graph.node());
    const std::size_t outside = visible_.size();
    for (const auto& input : graph.input()) show(input.name());
    for (const auto& tensor : graph.initializer()) show(tensor.name());
    for (const auto& tensor : graph.sparse_initializer()) show(tensor.values().name());
    nodes(graph.node());
    visible_.shrink(outside);
  }

  void function(const ::onnx::FunctionProto& function) {
    if (!std::any_of(function.node().begin(), function.node().end(), has_subgraphs)) return;
    for (const std::string& input : function.input()) show(input);
    nodes(function.node());
    visible_.shrink(0);
  }

 private:
  void nodes(const NodeProtos& nodes) {
    NameMap<const ::onnx::NodeProto*> later;
    later.reserve(static_cast<std::size_t>(nodes.size()));
    for (const auto& node : nodes)
      for (const std::string& output : node.output()) later.add(output, &node);
    for (const auto& node : nodes) {
      check_outputs(node);
      if (has_subgraphs(node)) {
        for (const std::string_view name : captured_.of(node))
          if (const auto* maker = later.find(name); maker && !visible_.contains(name))
            fail(ErrorKind::invalid_model,
                 cat("the body of ", label_of(node), " reads ", in_quotes(name), ", which ",
                     label_of(**maker), " makes later"));
        subgraphs(node);
      }
      for (const std::string& output : node.output()) show(output);
    }
  }

  /// What hides a name of an outer graph is found without knowing what the graph itself shows.
  void check_outputs(const NodeProtos& nodes) const {
    if (depth_ > 0)
      for (const auto& node : nodes) check_outputs(node);
  }

  void check_outputs(const ::onnx::NodeProto& node) const {
    for (const std::string& output : node.output())
      if (is_outside(output))
        fail(ErrorKind::invalid_model, cat(label_of(node), " names its output ", in_quotes(output),
                                           ", which is the name of a value outside of the body"));
  }

  void subgraphs(const ::onnx::NodeProto& node) {
    ++depth_;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) graph(attribute.g());
      for (const auto& each : attribute.graphs()) graph(each);
    }
    --depth_;
  }

  bool is_outside(const std::string& name) const {
    const int* depth = visible_.find(name);
    return depth && *depth < depth_;
  }
  void show(const std::string& name) {
    if (!name.empty()) visible_.add(name, depth_);
  }

  CapturedNames& captured_;
  int depth_ = 0;
  NameMap<int> visible_;  ///< and the depth of the graph that has it
};

}  // namespace

void check_scopes(const ::onnx::ModelProto& model, CapturedNames& captured) {
  ScopeWalk(captured).graph(model.graph());
  for (const auto& function : model.functions()) ScopeWalk(captured).function(function);
}

}  // namespace strata::onnx
