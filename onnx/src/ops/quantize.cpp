#include "strata/hir/ops/quantize.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

/// A type attribute of which 0 means that it is not given.
std::optional<DatumType> optional_dtype(NodeArgs& node, std::string_view name) {
  if (node.integer(name, 0) == 0) return std::nullopt;
  return node.dtype(name);
}

hir::InferenceOp parse_quantize(NodeArgs& node) {
  node.expect_inputs(2, 3);
  hir::QuantizeLinear op;
  if (node.version() >= 13) op.axis = node.integer("axis", 1);
  if (node.version() >= 19 && !node.flag("saturate", true))
    op.overflow = Overflow::to_infinity_or_nan;
  if (node.version() >= 21) {
    op.block_size = node.integer("block_size", 0);
    op.to = optional_dtype(node, "output_dtype");
  }
  if (node.version() >= 23) op.precision = optional_dtype(node, "precision");
  return op;
}

hir::InferenceOp parse_dequantize(NodeArgs& node) {
  node.expect_inputs(2, 3);
  hir::DequantizeLinear op;
  if (node.version() >= 13) op.axis = node.integer("axis", 1);
  if (node.version() >= 21) op.block_size = node.integer("block_size", 0);
  if (node.version() >= 23) op.to = optional_dtype(node, "output_dtype");
  return op;
}

hir::InferenceOp parse_dynamic_quantize(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::DynamicQuantizeLinear{};
}

}  // namespace

void register_quantize(Registry& r) {
  r.add("DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, parse_dequantize);
  r.add("DynamicQuantizeLinear", {11}, parse_dynamic_quantize);
  r.add("QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, parse_quantize);
}

}  // namespace strata::onnx
