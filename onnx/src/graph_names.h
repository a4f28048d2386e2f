#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "messages.h"

namespace strata::onnx {

using NodeProtos = List<NodeProto>;

/// `name "x"` of a node for messages: its name, or that of its first output.
std::string label_of(const NodeProto& node);

/// Visits each graph that is an attribute of `node`.
template <class Visit>
void for_each_subgraph(const NodeProto& node, const Visit& visit) {
  for (const auto& attribute : node.attribute) {
    if (attribute.g) visit(*attribute.g);
    for (const auto& graph : attribute.graphs) visit(graph);
  }
}

/// Which names graphs define, read and capture. Each graph is walked once, together with the graphs
/// in it, and must outlive this.
///
/// Walking throws: invalid_model when a node of a subgraph gives a value the name of one that is
/// visible outside, or a subgraph reads a value that a later node of an outer graph makes. Both are
/// errors in the standard; inputs and initializers of a subgraph may hide outer names.
class GraphNames {
 public:
  using Names = std::vector<std::string_view>;

  GraphNames() = default;
  /// Walks all graphs and functions of `model`.
  explicit GraphNames(const ModelProto& model);

  /// The names that subgraphs of `node` read and do not define, each once, in the order they are
  /// met.
  Names captured_by(const NodeProto& node);
  /// Whether the nodes of a graph walked give values names of their own, each before it is read.
  bool in_order(const NodeProtos& nodes) const;

 private:
  struct Found {
    Names captured;
    bool in_order = true;
  };
  class Walk;

  const Found& of(const GraphProto& graph);

  std::unordered_map<const NodeProtos*, Found> found_;  ///< by the nodes of graphs and functions
};

}  // namespace strata::onnx
