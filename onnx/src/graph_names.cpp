#include "graph_names.h"

#include "name_map.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

GraphNames::Names listed(const NameSet& names) {
  GraphNames::Names out;
  out.reserve(names.size());
  for (const auto& [name, nothing] : names) out.push_back(name);
  return out;
}

/// Which node makes a value, from 1.
using Maker = std::size_t;
/// The maker of inputs and initializers.
constexpr Maker kGiven = 0;

/// A graph, or the body of a function, while it is walked.
struct Level {
  const NodeProtos& nodes;
  Level* outer;                ///< null outside of subgraphs
  Maker open = 1;              ///< the node walked now
  NameMap<Maker> makers = {};  ///< of its values
  NameSet captured = {};
  bool in_order = true;

  const NodeProto& node(Maker maker) const { return nodes[maker - 1]; }
  bool shows(HashedName name) const {
    const Maker* maker = makers.find(name);
    return maker && *maker < open;
  }
};

bool is_shown_around(const Level& level, HashedName name) {
  for (const Level* outer = level.outer; outer; outer = outer->outer)
    if (outer->shows(name)) return true;
  return false;
}

/// What reads a name: the open node itself, or a body of it.
enum class Reader { node, body };

/// Notes a name that is read, also in the graphs around that capture it.
void read(HashedName name, Level& level, Reader reader = Reader::node) {
  if (name.text.empty()) return;
  if (const Maker* maker = level.makers.find(name)) {
    const bool is_later = *maker >= level.open;
    if (is_later && reader == Reader::body)
      fail(ErrorKind::invalid_model, "the body of ", label_of(level.node(level.open)), " reads ",
           in_quotes(name.text), ", which ", label_of(level.node(*maker)), " makes later");
    level.in_order &= !is_later;
  } else if (level.captured.add(name) && level.outer) {
    read(name, *level.outer, Reader::body);
  }
}

/// Notes what the nodes make.
void add_outputs(Level& level) {
  for (Maker maker = 1; maker <= level.nodes.size(); ++maker)
    for (const HashedName output : level.node(maker).output) {
      if (output.text.empty()) continue;
      if (is_shown_around(level, output))
        fail(ErrorKind::invalid_model, label_of(level.node(maker)), " names its output ",
             in_quotes(output.text), ", which is the name of a value outside of the body");
      const bool is_new = level.makers.add(output, maker);
      if (!is_new && *level.makers.find(output) == kGiven)
        fail(ErrorKind::invalid_model, in_quotes(output.text),
             " is defined twice: as an input or initializer, and by ", label_of(level.node(maker)));
      level.in_order &= is_new;
    }
}

}  // namespace

/// Walks graphs from the outside in.
class GraphNames::Walk {
 public:
  explicit Walk(GraphNames& names) : names_(names) {}

  const Found& graph(const GraphProto& graph, Level* outer = nullptr) {
    Level level{graph.node, outer};
    level.makers.reserve(graph.input.size() + graph.initializer.size() + graph.node.size());
    for (const auto& input : graph.input) level.makers.add(input.name, kGiven);
    for (const auto& tensor : graph.initializer) level.makers.add(tensor.name, kGiven);
    for (const auto& tensor : graph.sparse_initializer)
      level.makers.add(tensor.values.name, kGiven);
    walk_nodes(level);
    for (const auto& output : graph.output) read(output.name, level);
    return note(level);
  }

  const Found& function(const FunctionProto& function) {
    Level level{function.node, nullptr};
    for (const Text input : function.input) level.makers.add(input, kGiven);
    walk_nodes(level);
    return note(level);
  }

 private:
  void walk_nodes(Level& level) {
    add_outputs(level);
    for (const auto& node : level.nodes) {
      for (const Text input : node.input) read(input, level);
      for_each_subgraph(node, [&](const auto& each) { graph(each, &level); });
      ++level.open;
    }
  }

  const Found& note(const Level& level) {
    return names_.found_[&level.nodes] = {listed(level.captured), level.in_order};
  }

  GraphNames& names_;
};

std::string label_of(const NodeProto& node) {
  const Text name = !node.name.empty() || node.output.empty() ? node.name : node.output[0];
  return cat(node.op_type, ' ', in_quotes(name));
}

GraphNames::GraphNames(const ModelProto& model) {
  Walk(*this).graph(*model.graph);
  for (const auto& function : model.functions) Walk(*this).function(function);
}

GraphNames::Names GraphNames::captured_by(const NodeProto& node) {
  NameSet names;
  for_each_subgraph(node, [&](const GraphProto& graph) {
    for (const std::string_view name : of(graph).captured) names.add(name);
  });
  return listed(names);
}

bool GraphNames::in_order(const NodeProtos& nodes) const {
  const auto known = found_.find(&nodes);
  return known != found_.end() && known->second.in_order;
}

const GraphNames::Found& GraphNames::of(const GraphProto& graph) {
  const auto known = found_.find(&graph.node);
  return known != found_.end() ? known->second : Walk(*this).graph(graph);
}

}  // namespace strata::onnx
