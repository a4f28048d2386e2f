#include "strata/hir/ops/loop.h"

#include <algorithm>

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_loop(NodeArgs& node) {
  node.expect_inputs(node.version() < 11 ? 3 : 2, SIZE_MAX, {0, 1});
  const Subgraph body = node.required_graph("body");
  const std::size_t carried = std::max<std::size_t>(node.input_count(), 2) - 2;
  check(body.own_inputs == carried + 2, "the body of Loop takes ",
        counted(body.own_inputs, "input"), ", the node carries ", counted(carried, "value"));
  check(body.model->outputs().size() >= carried + 1, "the body of Loop has ",
        counted(body.model->outputs().size(), "output"), ", the node carries ",
        counted(carried, "value"));
  check(body.model->outputs().size() == node.output_count() + 1, "the body of Loop has ",
        counted(body.model->outputs().size(), "output"), ", a condition among them, the node ",
        node.output_count());
  return hir::Loop{body.model, carried, body.captures};
}

}  // namespace

void register_loop(Registry& r) { r.add("Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, parse_loop); }

}  // namespace strata::onnx
