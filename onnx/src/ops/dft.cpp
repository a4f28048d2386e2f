#include "strata/hir/ops/dft.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_dft(NodeArgs& node) {
  node.expect_inputs(1, node.version() < 20 ? 2 : 3);
  hir::Dft dft;
  dft.op.inverse = node.flag("inverse", false);
  dft.op.one_sided = node.flag("onesided", false);
  if (node.version() < 20) dft.axis = node.integer("axis", 1);
  return dft;
}

hir::InferenceOp parse_stft(NodeArgs& node) {
  node.expect_inputs(2, 4);
  return hir::Stft{node.flag("onesided", true)};
}

}  // namespace

void register_dft(Registry& r) {
  r.add("DFT", {17, 20}, parse_dft);
  r.add("STFT", {17}, parse_stft);
}

}  // namespace strata::onnx
