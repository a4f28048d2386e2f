#include "strata/hir/ops/if.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_if(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const Subgraph then_branch = node.required_graph("then_branch"),
                 else_branch = node.required_graph("else_branch");
  for (const Subgraph* branch : {&then_branch, &else_branch}) {
    check(branch->own_inputs == 0, "a branch of If takes ", counted(branch->own_inputs, "input"),
          ", it may take none");
    check(branch->model->outputs().size() == node.output_count(), "a branch of If has ",
          counted(branch->model->outputs().size(), "output"), ", the node ", node.output_count());
  }
  return hir::If{then_branch.model, else_branch.model, node.version() < 11};
}

}  // namespace

void register_if(Registry& r) { r.add("If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, parse_if); }

}  // namespace strata::onnx
