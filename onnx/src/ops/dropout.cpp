#include "strata/hir/ops/dropout.h"

#include "ops/all.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_dropout(NodeArgs& node) {
  const bool is_dynamic = node.version() >= 12;
  node.expect_inputs(1, is_dynamic ? 3 : 1);
  if (node.version() == 1) node.ignore("consumed_inputs");
  // A model that is run is not trained, whatever these say.
  if (node.version() <= 6) node.ignore("is_test");
  if (!is_dynamic) node.ignore("ratio");
  const std::int64_t seed = is_dynamic ? node.integer("seed", 0) : 0;
  if (!node.has_input(2) && !node.has_output(1)) return hir::Identity{};
  return hir::Dropout{seed, node.version() < 10};
}

}  // namespace

void register_dropout(Registry& r) { r.add("Dropout", {1, 6, 7, 10, 12, 13, 22}, parse_dropout); }

}  // namespace strata::onnx
