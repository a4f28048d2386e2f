#include "strata/core/ops/mel_weight_matrix.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_mel_weight_matrix(NodeArgs& node) {
  node.expect_inputs(5, 5);
  return hir::Direct{MelWeightMatrix{node.dtype("output_datatype", DatumType::f32)}};
}

}  // namespace

void register_mel_weight_matrix(Registry& r) {
  r.add("MelWeightMatrix", {17}, parse_mel_weight_matrix);
}

}  // namespace strata::onnx
