#include "strata/hir/ops/attention.h"

#include "ops/all.h"
#include "strata/hir/ops/flex_attention.h"

namespace strata::onnx {
namespace {

std::optional<std::int64_t> window(NodeArgs& node, std::string_view name) {
  const std::int64_t size = node.integer(name, -1);
  check(size >= -1, name, " is ", size, ", it may be -1 or more");
  return size < 0 ? std::nullopt : std::optional(size);
}

hir::InferenceOp parse_attention(NodeArgs& node) {
  node.expect_inputs(3, node.version() == 23 ? 6 : 7);
  hir::Attention op;
  op.query_heads = node.integer("q_num_heads");
  op.key_heads = node.integer("kv_num_heads");
  op.scale = node.number("scale");
  op.softcap = node.number("softcap", 0);
  op.softmax_type = node.dtype("softmax_precision");
  const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
  check(mode >= 0 && mode <= 3, "qk_matmul_output_mode is ", mode, ", none of 0, 1, 2, 3");
  op.scores = static_cast<hir::AttentionScores>(mode);
  if (node.version() == 23) op.short_mask = hir::ShortMask::stretches;
  if (node.version() >= 25) {
    op.left_window = window(node, "left_window_size");
    op.right_window = window(node, "right_window_size");
  }
  if (node.flag("is_causal", false)) op.right_window = 0;
  return op;
}

std::optional<hir::InferenceBody> modifier(NodeArgs& node, std::string_view name) {
  const auto graph = node.graph(name);
  if (!graph) return std::nullopt;
  check(graph->own_inputs == 1, name, " takes ", graph->own_inputs, " inputs, it must take one");
  check(graph->model->outputs().size() == 1, name, " has ", graph->model->outputs().size(),
        " outputs, it must have one");
  return graph->model;
}

hir::InferenceOp parse_flex_attention(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::FlexAttention{.score_modifier = modifier(node, "score_mod"),
                            .probability_modifier = modifier(node, "prob_mod"),
                            .scale = node.number("scale"),
                            .softmax_type = node.dtype("softmax_precision")};
}

}  // namespace

void register_attention(Registry& r) {
  r.add("Attention", {23, 24, 25}, parse_attention);
  r.add_to("ai.onnx.preview", "FlexAttention", {1}, parse_flex_attention);
}

}  // namespace strata::onnx
