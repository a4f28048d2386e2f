#include "strata/hir/ops/slice.h"

#include "ops/all.h"
#include "ops/named.h"
#include "strata/core/ops/slice.h"
#include "strata/hir/ops/with_operands.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_slice(NodeArgs& node) {
  if (node.version() >= 10) {
    node.expect_inputs(3, 5);
    return hir::Slice{};
  }
  node.expect_inputs(1, 1);
  std::vector<Tensor> operands{integers_tensor(node.required_integers("starts")),
                               integers_tensor(node.required_integers("ends"))};
  if (const auto axes = node.integers("axes")) operands.push_back(integers_tensor(*axes));
  return hir::WithOperands{strata::Slice{}, std::move(operands)};
}

}  // namespace

void register_slice(Registry& r) { r.add("Slice", {1, 10, 11, 13}, parse_slice); }

}  // namespace strata::onnx
