#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX Runtime's MatMulNBits: A times the transpose of weights of a few bits each, which are
/// quantised in blocks along their inner axis.
///
/// Inputs A [.., inner], the weights u8[outer, blocks, block_size * bits / 8], whose elements fill
/// each byte from its low bits up, the scale of each block, then optional ones: the zero point of
/// each block, packed as the weights are, or a float; and a bias of the columns. Zero points left
/// out are the middle of the range.
struct BlockQuantizedMatMul {
  static constexpr std::string_view name = "BlockQuantizedMatMul";
  std::int64_t inner = 1;
  std::int64_t outer = 1;
  std::int64_t bits = 4;  ///< 2, 4 or 8
  std::int64_t block_size = 32;
  bool may_round_a = false;  ///< as in MatMul

  static constexpr auto attributes() {
    return std::tuple{attr("inner", &BlockQuantizedMatMul::inner),
                      attr("outer", &BlockQuantizedMatMul::outer),
                      attr("bits", &BlockQuantizedMatMul::bits),
                      attr("block_size", &BlockQuantizedMatMul::block_size),
                      attr("may_round_a", &BlockQuantizedMatMul::may_round_a)};
  }
  std::int64_t blocks() const { return (inner + block_size - 1) / block_size; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<BlockQuantizedMatMul>);

}  // namespace strata::hir
