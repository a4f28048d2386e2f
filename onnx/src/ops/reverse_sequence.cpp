#include "strata/core/ops/reverse_sequence.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_reverse_sequence(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{ReverseSequence{node.integer("batch_axis", 1), node.integer("time_axis", 0)}};
}

}  // namespace

void register_reverse_sequence(Registry& r) {
  r.add("ReverseSequence", {10, 28}, parse_reverse_sequence);
}

}  // namespace strata::onnx
