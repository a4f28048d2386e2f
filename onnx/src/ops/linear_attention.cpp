#include "strata/hir/ops/linear_attention.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

/// Throws: invalid_model unless decay and beta are there exactly when the rule reads them.
void check_operands(const NodeArgs& node, std::string_view rule) {
  const bool decays = rule.starts_with("gated"), corrects = rule.ends_with("delta");
  check(node.has_input(4) == decays, "update rule ", in_quotes(rule),
        decays ? " needs" : " does not take", " the input decay");
  check(node.has_input(5) == corrects, "update rule ", in_quotes(rule),
        corrects ? " needs" : " does not take", " the input beta");
}

hir::InferenceOp parse_linear_attention(NodeArgs& node) {
  node.expect_inputs(3, 6);
  node.ignore("chunk_size");
  hir::LinearAttention op;
  op.query_heads = node.required_integer("q_num_heads");
  op.key_heads = node.required_integer("kv_num_heads");
  check(op.key_heads > 0 && op.query_heads > 0 && op.query_heads % op.key_heads == 0,
        "q_num_heads is ", op.query_heads, ", no multiple of kv_num_heads, ", op.key_heads);
  if (const double scale = node.number("scale", 0); scale != 0) op.scale = scale;
  const std::string rule = node.text("update_rule", "gated_delta");
  check(rule == "linear" || rule == "gated" || rule == "delta" || rule == "gated_delta",
        "update_rule is ", in_quotes(rule), ", none of linear, gated, delta, gated_delta");
  check_operands(node, rule);
  return op;
}

}  // namespace

void register_linear_attention(Registry& r) {
  r.add("LinearAttention", {27}, parse_linear_attention);
}

}  // namespace strata::onnx
