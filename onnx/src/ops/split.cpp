#include "strata/core/ops/split.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_split(NodeArgs& node) {
  const Split split{node.integer("axis", 0), node.output_count()};
  if (node.version() == 1 || node.version() >= 13)
    node.expect_inputs(1, 2);
  else
    node.expect_inputs(1, 1);
  if (node.version() < 13) {
    const auto sizes = node.integers("split");
    if (sizes && !node.has_input(1)) return hir::WithOperands{split, {integers_tensor(*sizes)}};
  } else if (node.version() >= 18) {
    const auto outputs = node.integer("num_outputs");
    check(!outputs || !node.has_input(1), "both num_outputs and split are given");
    check(!outputs || *outputs == static_cast<std::int64_t>(node.output_count()), "num_outputs is ",
          outputs.value_or(0), ", the node has ", counted(node.output_count(), "output"));
  }
  return hir::Direct{split};
}

}  // namespace

void register_split(Registry& r) { r.add("Split", {1, 2, 11, 13, 18}, parse_split); }

}  // namespace strata::onnx
