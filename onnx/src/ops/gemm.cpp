#include "strata/hir/ops/gemm.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_gemm(NodeArgs& node) {
  node.expect_inputs(node.version() < 11 ? 3 : 2, 3);
  // Until version 7 an attribute told whether C broadcasts; it does whenever its shape asks for it.
  if (node.version() < 7) node.ignore("broadcast");
  return hir::Gemm{node.number("alpha", 1), node.number("beta", 1), node.flag("transA", false),
                   node.flag("transB", false)};
}

}  // namespace

void register_gemm(Registry& r) { r.add("Gemm", {1, 6, 7, 9, 11, 13}, parse_gemm); }

}  // namespace strata::onnx
