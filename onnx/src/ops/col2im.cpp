#include "strata/core/ops/col2im.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

std::vector<std::int64_t> listed(NodeArgs& node, std::string_view name) {
  const Shape values = node.integers(name).value_or(Shape{});
  return {values.begin(), values.end()};
}

hir::InferenceOp parse_col2im(NodeArgs& node) {
  node.expect_inputs(3, 3);
  return hir::Direct{
      Col2Im{listed(node, "strides"), listed(node, "dilations"), listed(node, "pads")}};
}

}  // namespace

void register_col2im(Registry& r) { r.add("Col2Im", {18}, parse_col2im); }

}  // namespace strata::onnx
