#include "strata/hir/ops/gradient.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

/// The loader has made what xs, zs and y name into a body.
hir::InferenceOp parse_gradient(NodeArgs& node) {
  node.ignore("y");
  const auto xs = node.texts("xs").value_or(std::vector<std::string>{}),
             zs = node.texts("zs").value_or(std::vector<std::string>{});
  check(!xs.empty(), "attribute \"xs\" is missing");
  check(node.input_count() == xs.size() + zs.size(), "xs and zs name ", xs.size() + zs.size(),
        " tensors, ", node.input_count(), " are given");
  const Subgraph body = node.required_graph("body");
  return hir::Gradient{body.model, body.own_inputs, xs.size()};
}

}  // namespace

void register_gradient(Registry& r) {
  r.add_to("ai.onnx.preview.training", "Gradient", {1}, parse_gradient);
}

}  // namespace strata::onnx
