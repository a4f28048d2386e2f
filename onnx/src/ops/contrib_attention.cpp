#include "ops/all.h"
#include "ops/contrib.h"
#include "strata/hir/ops/cached_rotary_embedding.h"
#include "strata/hir/ops/group_query_attention.h"
#include "strata/hir/ops/multi_head_attention.h"

namespace strata::onnx {
namespace {

/// A scale of 0 stands for none.
std::optional<double> parse_scale(NodeArgs& node) {
  const double scale = node.number("scale", 0);
  return scale == 0 ? std::nullopt : std::optional(scale);
}

std::int64_t positive(NodeArgs& node, std::string_view name) {
  const std::int64_t value = node.required_integer(name);
  check(value > 0, name, " is ", value, ", it must be positive");
  return value;
}

hir::HeadAttention parse_heads(NodeArgs& node) {
  hir::HeadAttention out;
  out.heads = positive(node, "num_heads");
  out.scale = parse_scale(node);
  out.hidden = node.number("mask_filter_value", -10000);
  out.is_causal = node.flag("unidirectional", false);
  return out;
}

hir::InferenceOp parse_multi_head_attention(NodeArgs& node) {
  node.expect_inputs(1, 10);
  refuse_input(node, 8, "past_sequence_length");
  refuse_input(node, 9, "cache_indirection");
  return hir::MultiHeadAttention{parse_heads(node)};
}

/// What the two attentions of one projected input have beyond their heads.
void refuse_rotation_and_buffer(NodeArgs& node) {
  refuse_flag(node, "do_rotary");
  refuse_flag(node, "past_present_share_buffer");
}

hir::InferenceOp parse_attention(NodeArgs& node) {
  node.expect_inputs(2, 7);
  refuse_rotation_and_buffer(node);
  refuse_input(node, 6, "past_sequence_length");
  // Of the rotation, which is refused.
  node.ignore("rotary_embedding_dim");
  hir::PackedAttention op{parse_heads(node), node.integers("qkv_hidden_sizes").value_or(Shape{})};
  check(op.hidden_sizes.empty() || op.hidden_sizes.size() == 3, "qkv_hidden_sizes has ",
        op.hidden_sizes.size(), " sizes, it must have 3");
  if (!op.hidden_sizes.empty()) refuse_output(node, 1, "present, with qkv_hidden_sizes");
  return op;
}

hir::InferenceOp parse_qattention(NodeArgs& node) {
  node.expect_inputs(5, 9);
  refuse_rotation_and_buffer(node);
  return hir::QuantizedAttention{parse_heads(node)};
}

/// What ONNX Runtime has added to GroupQueryAttention for caches of bytes, norms and sinks.
void refuse_extensions(NodeArgs& node) {
  for (std::size_t i = 11; i < node.input_count(); ++i)
    refuse_input(node, i, "of sinks, of scales or of norms");
  refuse_output(node, 3, "output_qk");
  for (const auto* flag :
       {"smooth_softmax", "qk_output", "kv_cache_bit_width", "sliding_window_cache"})
    refuse_flag(node, flag);
  for (const auto* type : {"k_quant_type", "v_quant_type"})
    require(node.text(type, "NONE") == "NONE", ErrorKind::unsupported,
            "GroupQueryAttention with a quantised cache is not supported");
  // Of the norms, which are refused.
  node.ignore("qk_norm_epsilon");
}

hir::InferenceOp parse_group_query_attention(NodeArgs& node) {
  node.expect_inputs(7, 16, {1, 2, 3, 4});
  refuse_extensions(node);
  hir::GroupQueryAttention op;
  op.heads = positive(node, "num_heads");
  op.key_heads = positive(node, "kv_num_heads");
  check(op.heads % op.key_heads == 0, "num_heads is ", op.heads, ", no multiple of kv_num_heads, ",
        op.key_heads);
  op.scale = parse_scale(node);
  op.softcap = node.number("softcap", 0);
  op.is_causal = node.flag("causal", true);
  const std::int64_t window = node.integer("local_window_size", -1);
  check(window == -1 || window > 0, "local_window_size is ", window, ", neither -1 nor positive");
  if (window > 0) op.window = window;
  if (node.flag("do_rotary", false)) op.turn = hir::TurnHeads::yes;
  if (node.flag("rotary_interleaved", false)) op.pairs = hir::RotaryPairs::neighbours;
  return op;
}

hir::InferenceOp parse_rotary_embedding(NodeArgs& node) {
  node.expect_inputs(4, 4);
  // 1 in every file: what it would scale is nowhere said.
  const double scale = node.number("scale", 1);
  require(scale == 1, ErrorKind::unsupported, "RotaryEmbedding with scale ", scale,
          " is not supported");
  refuse_flag(node, "is_packed_batching");
  hir::CachedRotaryEmbedding op;
  // 0 heads stand for none given.
  if (const std::int64_t heads = node.integer("num_heads", 0); heads != 0) op.rotary.heads = heads;
  op.rotary.turned = node.integer("rotary_embedding_dim", 0);
  check(op.rotary.turned >= 0 && op.rotary.turned % 2 == 0, "rotary_embedding_dim is ",
        op.rotary.turned, ", it must be even and not negative");
  if (node.flag("interleaved", false)) op.rotary.pairs = hir::RotaryPairs::neighbours;
  return op;
}

}  // namespace

void register_contrib_attention(Registry& r) {
  r.add_to(kContrib, "Attention", {1}, parse_attention);
  r.add_to(kContrib, "GroupQueryAttention", {1}, parse_group_query_attention);
  r.add_to(kContrib, "MultiHeadAttention", {1}, parse_multi_head_attention);
  r.add_to(kContrib, "QAttention", {1}, parse_qattention);
  r.add_to(kContrib, "RotaryEmbedding", {1}, parse_rotary_embedding);
}

}  // namespace strata::onnx
