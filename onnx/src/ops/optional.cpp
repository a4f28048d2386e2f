#include "ops/all.h"
#include "strata/core/ops/optional_get.h"
#include "strata/core/ops/optional_has.h"
#include "strata/core/ops/optional_of.h"
#include "strata/hir/ops/constant.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_optional(NodeArgs& node) {
  node.expect_inputs(0, 1);
  const auto type = node.type("type");
  if (node.has_input(0)) return hir::Direct{OptionalOf{}};
  check(type.has_value(), "an empty optional needs the attribute \"type\"");
  return hir::Constant{Optional{*type, nullptr}};
}

hir::InferenceOp parse_optional_get(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{OptionalGet{}};
}

hir::InferenceOp parse_optional_has(NodeArgs& node) {
  node.expect_inputs(node.version() >= 18 ? 0 : 1, 1);
  if (node.has_input(0)) return hir::Direct{OptionalHas{}};
  return hir::Constant{Tensor::scalar(false)};
}

}  // namespace

void register_optional(Registry& r) {
  r.add("Optional", {15, 28}, parse_optional);
  r.add("OptionalGetElement", {15, 18, 28}, parse_optional_get);
  r.add("OptionalHasElement", {15, 18, 28}, parse_optional_has);
}

}  // namespace strata::onnx
