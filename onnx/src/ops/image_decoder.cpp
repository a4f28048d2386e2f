#include "strata/core/ops/image_decoder.h"

#include "ops/all.h"
#include "ops/named.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_image_decoder(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{ImageDecoder{named(node, "pixel_format", PixelFormat::rgb)}};
}

}  // namespace

void register_image_decoder(Registry& r) { r.add("ImageDecoder", {20}, parse_image_decoder); }

}  // namespace strata::onnx
