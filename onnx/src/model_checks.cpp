#include "model_checks.h"

#include <unordered_map>

#include "graph_names.h"
#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// From this IR version on a model must say which opsets it imports.
constexpr std::int64_t kExplicitOpsets = 3;

class SizeCheck {
 public:
  explicit SizeCheck(const Limits& limits) : limits_(limits) {}

  void count(List<NodeProto> nodes, int depth) {
    require(depth <= limits_.nesting, ErrorKind::limit, "bodies nest deeper than ", limits_.nesting,
            " (Limits::nesting)");
    nodes_ += static_cast<std::int64_t>(nodes.size());
    require(nodes_ <= limits_.nodes, ErrorKind::limit, "the model has more than ",
            counted(limits_.nodes, "node"), " (Limits::nodes)");
    for (const auto& node : nodes)
      for_each_subgraph(node, [&](const GraphProto& graph) { count(graph.node, depth + 1); });
  }

 private:
  const Limits& limits_;
  std::int64_t nodes_ = 0;
};

/// Counts nodes as they will be inlined, each function once however often it is called.
class InlinedSize {
 public:
  InlinedSize(const Functions& functions, const Limits& limits)
      : functions_(functions), limits_(limits) {}

  /// `calls` are those around the nodes.
  std::int64_t of(const NodeProtos& nodes, std::size_t calls = 0) {
    std::int64_t count = 0;
    const auto add = [&](std::int64_t more) {
      require(more <= limits_.nodes - count, ErrorKind::limit, "the model has more than ",
              limits_.nodes, " nodes once its functions are inlined (Limits::nodes)");
      count += more;
    };
    for (const auto& node : nodes) {
      add(1);
      if (const Function* function = functions_.find_local(node)) add(of_call(*function, calls));
      for_each_subgraph(node, [&](const GraphProto& graph) { add(of(graph.node, calls)); });
    }
    return count;
  }

 private:
  std::int64_t of_call(const Function& function, std::size_t calls) {
    // Inlining refuses a function that is being counted still: it calls itself.
    const auto [known, is_new] = counts_.emplace(&function, 0);
    if (!is_new) return known->second;
    check_call_depth(calls, limits_);
    const std::int64_t count = of(function.body->node, calls + 1);
    return counts_[&function] = count;
  }

  const Functions& functions_;
  const Limits& limits_;
  std::unordered_map<const Function*, std::int64_t> counts_;
};

}  // namespace

void check_size(const ModelProto& model, const Limits& limits) {
  SizeCheck check(limits);
  check.count(model.graph->node, 0);
  for (const auto& function : model.functions) check.count(function.node, 0);
}

void check_inlined_size(const GraphProto& graph, const Functions& functions, const Limits& limits) {
  InlinedSize(functions, limits).of(graph.node);
}

OpsetVersions imported_opsets(const ModelProto& model) {
  OpsetVersions out = opsets_of(model.opset_import);
  if (out.empty() && model.ir_version < kExplicitOpsets) out.emplace("", 1);
  check(!out.empty(), "the model imports no opset");
  return out;
}

}  // namespace strata::onnx
