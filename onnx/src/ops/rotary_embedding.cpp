#include "strata/hir/ops/rotary_embedding.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_rotary_embedding(NodeArgs& node) {
  node.expect_inputs(3, 4);
  hir::RotaryEmbedding op;
  // 0 heads stand for none given.
  if (const std::int64_t heads = node.integer("num_heads", 0); heads != 0) op.heads = heads;
  op.turned = node.integer("rotary_embedding_dim", 0);
  check(op.turned >= 0 && op.turned % 2 == 0, "rotary_embedding_dim is ", op.turned,
        ", it must be even and not negative");
  if (node.flag("interleaved", false)) op.pairs = hir::RotaryPairs::neighbours;
  return op;
}

}  // namespace

void register_rotary_embedding(Registry& r) {
  r.add("RotaryEmbedding", {23}, parse_rotary_embedding);
}

}  // namespace strata::onnx
