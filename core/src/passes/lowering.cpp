#include "passes/lowering.h"

#include "kernel_ops/kernel_op.h"

namespace strata {

std::span<const LoweringRule> lowering_rules() {
  static constexpr LoweringRule kRules[] = {
      {"fuse_bias", fuse_bias},         {"fuse_activation", fuse_activation},
      {"lower_matmul", lower_matmul},   {"lower_conv", lower_conv},
      {"lower_pool", lower_pool},       {"lower_unary", lower_unary},
      {"lower_binary", lower_binary},   {"lower_softmax", lower_softmax},
      {"lower_reshape", lower_reshape},
  };
  return kRules;
}

}  // namespace strata
