#pragma once

#include "strata/core/ops/tree_ensemble.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

/// What becomes of the scores of a row; probit is the inverse of the normal distribution, and
/// softmax_zero a softmax in which scores of 0 stay 0.
enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };

constexpr auto enumerators(PostTransform) {
  using enum PostTransform;
  return std::to_array<std::pair<PostTransform, std::string_view>>({{none, "none"},
                                                                    {softmax, "softmax"},
                                                                    {logistic, "logistic"},
                                                                    {softmax_zero, "softmax_zero"},
                                                                    {probit, "probit"}});
}

/// ONNX ai.onnx.ml TreeEnsemble: the trees, then the transform.
struct TreeEnsemble {
  static constexpr std::string_view name = "TreeEnsemble";
  strata::TreeEnsemble trees;
  PostTransform transform = PostTransform::none;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<TreeEnsemble>);

}  // namespace strata::hir
