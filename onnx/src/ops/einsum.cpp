#include "strata/core/ops/einsum.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_einsum(NodeArgs& node) {
  const auto equation = node.text("equation");
  check(equation.has_value(), "Einsum has no attribute \"equation\"");
  std::string text = *equation;
  std::erase(text, ' ');
  return hir::Direct{Einsum{text}};
}

}  // namespace

void register_einsum(Registry& r) { r.add("Einsum", {12, 28}, parse_einsum); }

}  // namespace strata::onnx
