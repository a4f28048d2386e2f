#include "model_checks.h"

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

/// The newest opset of each standard domain that this build understands.
constexpr int kNewestOnnx = 28;
constexpr int kNewestMl = 5;
/// From this IR version on a model must say which opsets it imports.
constexpr std::int64_t kExplicitOpsets = 3;

class SizeCheck {
 public:
  explicit SizeCheck(const Limits& limits) : limits_(limits) {}

  void count(List<NodeProto> nodes, int depth) {
    require(depth <= limits_.nesting, ErrorKind::limit, "bodies nest deeper than ", limits_.nesting,
            " (Limits::nesting)");
    nodes_ += static_cast<std::int64_t>(nodes.size());
    require(nodes_ <= limits_.nodes, ErrorKind::limit, "the model has more than ", limits_.nodes,
            " nodes (Limits::nodes)");
    for (const auto& node : nodes)
      for (const auto& attribute : node.attribute) {
        if (attribute.g) count(attribute.g->node, depth + 1);
        for (const auto& graph : attribute.graphs) count(graph.node, depth + 1);
      }
  }

 private:
  const Limits& limits_;
  std::int64_t nodes_ = 0;
};

void check_newest(std::string_view domain, std::int64_t version) {
  check(version >= 1, "opset ", version, " of ", long_domain(domain),
        " is imported; versions begin at 1");
  const int newest = domain.empty() ? kNewestOnnx : domain == "ai.onnx.ml" ? kNewestMl : INT32_MAX;
  require(version <= newest, ErrorKind::unsupported, "opset ", version, " of ", long_domain(domain),
          " is too new: up to ", newest, " is supported");
}

}  // namespace

void check_size(const ModelProto& model, const Limits& limits) {
  SizeCheck check(limits);
  check.count(model.graph->node, 0);
  for (const auto& function : model.functions) check.count(function.node, 0);
}

OpsetVersions imported_opsets(const ModelProto& model) {
  OpsetVersions out;
  for (const auto& opset : model.opset_import) {
    const std::string domain(short_domain(opset.domain));
    check_newest(domain, opset.version);
    const auto [first, is_new] = out.emplace(domain, static_cast<int>(opset.version));
    check(is_new || first->second == opset.version, "domain ", long_domain(domain),
          " is imported as opset ", first->second, " and as opset ", opset.version);
  }
  if (out.empty() && model.ir_version < kExplicitOpsets) out.emplace("", 1);
  check(!out.empty(), "the model imports no opset");
  return out;
}

}  // namespace strata::onnx
