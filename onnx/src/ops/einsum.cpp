#include "strata/core/ops/einsum.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_einsum(NodeArgs& node) {
  std::string equation = node.required_text("equation");
  std::erase(equation, ' ');
  return hir::Direct{Einsum{equation}};
}

}  // namespace

void register_einsum(Registry& r) { r.add("Einsum", {12, 28}, parse_einsum); }

}  // namespace strata::onnx
