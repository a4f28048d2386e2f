#include "facts_backward.h"

namespace strata::testing {

FactRows contrib_rows() {
  FactRows rows;
  rows.add({{"com.microsoft.Gelu", "? -> f32[2,N]", "f32[2,N] -> f32[2,N]"},
            {"com.microsoft.QuickGelu", "? -> f32[2,N]", "f32[2,N] -> f32[2,N]"},
            {"com.microsoft.FastGelu", "? ? -> f32[2,3]", "f32[2,3] f32[3] -> f32[2,3]"},
            {"com.microsoft.BiasGelu", "? f32[3] -> ?[2,?]", "f32[2,3] f32[3] -> f32[2,3]"},
            {"com.microsoft.Trilu", "? -> f32[2,3]", "f32[2,3] -> f32[2,3]"},
            {"com.microsoft.ExpandDims", "? i32[] -> f32[2,3]", "f32[..] i32[] -> f32[2,3]"},
            {"SimplifiedLayerNormalization", "? f32[4] -> f32[2,4]", "?[2,4] f32[4] -> f32[2,4]"}});
  rows.add(
      {{"com.microsoft.SkipLayerNormalization", "? ? ? -> f32[2,3,4]",
        "f32[2,3,4] f32[..] f32[4] -> f32[2,3,4]"},
       {"com.microsoft.SkipSimplifiedLayerNormalization", "f32[2,3,4] f32[2,3,4] ? ? -> ?",
        "f32[2,3,4] f32[2,3,4] f32[4] f32[4] -> f32[2,3,4]"},
       {"com.microsoft.EmbedLayerNormalization", "i32[..] - f32[9,?] f32[7,4] - ? ? -> ?[2,3,4]",
        "i32[2,3] - f32[9,4] f32[7,4] - f32[4] f32[4] -> f32[2,3,4]"}});
  rows.add(
      {{"com.microsoft.FusedMatMul", "?[?,?] f32[3,4] -> ?[2,4]", "f32[2,3] f32[3,4] -> f32[2,4]"},
       {"com.microsoft.TransposeMatMul<transA = 1>", "? f32[3,4] -> ?",
        "f32[..] f32[3,4] -> f32[..]"},
       {"com.microsoft.FusedGemm<transB = 1>", "f32[2,?] ?[4,3] ? -> ?",
        "f32[2,3] f32[4,3] f32[..] -> f32[2,4]"},
       {"com.microsoft.FusedConv<kernel_shape = [3,3]>", "? f32[?,4,?,?] - ? -> ?[1,6,5,5]",
        "f32[1,4,?,?] f32[6,4,3,3] - f32[1,6,5,5] -> f32[1,6,5,5]"},
       {"com.microsoft.GatherBlockQuantized", "u8[..] i64[2,3] f32[?,4] ? -> ?",
        "u8[?,?] i64[2,3] f32[?,4] u8[?,?] -> f32[2,3,?]"},
       {"com.microsoft.MatMulNBits<K = 32, N = 4, block_size = 16>", "? ? ? -> f32[2,?]",
        "f32[2,32] u8[..] f32[..] -> f32[2,4]"}});
  rows.add(
      {{"com.microsoft.RotaryEmbedding<num_heads = 2>", "? i64[2,3] f32[9,4] ? -> ?[2,3,16]",
        "f32[2,3,16] i64[2,3] f32[9,4] f32[9,4] -> f32[2,3,16]"},
       {"com.microsoft.MultiHeadAttention<num_heads = 2>", "? f32[2,7,8] f32[2,7,8] -> ?[?,5,?]",
        "f32[2,5,?] f32[2,7,8] f32[2,7,8] -> f32[2,5,8]"},
       {"com.microsoft.Attention<num_heads = 2>", "? f32[6,24] ? -> ?[2,5,?]",
        "f32[2,5,6] f32[6,24] f32[24] -> f32[2,5,8]"},
       {"com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>",
        "? f32[1,3,16] ? - - i32[1] i32[] -> ?[?,?,32]",
        "f32[1,3,32] f32[1,3,16] f32[1,3,?] - - i32[1] i32[] -> f32[1,3,32]"}});
  return rows;
}

FactRows contrib_quantized_rows() {
  FactRows rows;
  rows.add(
      {{"com.microsoft.QuantizeLinear", "f32[..] f32[] ? -> i8[2,3]",
        "f32[2,3] f32[] i8[..] -> i8[2,3]"},
       {"com.microsoft.DequantizeLinear", "u8[..] ? -> f16[2,3]", "u8[2,3] f16[..] -> f16[2,3]"}});
  for (const char* op :
       {"com.microsoft.QLinearSigmoid", "com.microsoft.QLinearLeakyRelu",
        "com.microsoft.QLinearSoftmax<opset = 13>", "com.microsoft.QLinearGlobalAveragePool",
        "com.microsoft.QLinearAveragePool<kernel_shape = [2,2]>"})
    rows.add({{op, "? ? u8[] ? ? -> ?", "u8[..] f32[..] u8[] ? ? -> u8[..]"}});
  for (const char* op : {"com.microsoft.QLinearAdd", "com.microsoft.QLinearMul"})
    rows.add({{op, "? ? ? i8[2,3] ? ? ? ? -> ?",
               "i8[..] f32[..] i8[..] i8[2,3] f32[..] i8[..] ? ? -> i8[..]"}});
  rows.add(
      {{"com.microsoft.QLinearConcat<axis = 0>", "? ? ? ? ? -> u8[2,3]",
        "? ? u8[..] f32[..] u8[..] -> u8[2,3]"},
       {"com.microsoft.QLinearWhere", "bool[2,3] ? ? ? ? ? ? ? ? -> u8[2,3]",
        "bool[2,3] u8[..] f32[..] u8[..] u8[..] f32[..] u8[..] ? ? -> u8[2,3]"},
       {"com.microsoft.MatMulIntegerToFloat", "u8[?,?] i8[3,4] f32[] ? ? ? -> ?[2,4]",
        "u8[2,3] i8[3,4] f32[] f32[..] u8[..] i8[..] -> f32[2,4]"},
       {"com.microsoft.DynamicQuantizeMatMul", "f32[?,?] i8[3,4] ? ? -> ?[2,4]",
        "f32[2,3] i8[3,4] f32[..] i8[..] -> f32[2,4]"},
       {"com.microsoft.QGemm<transB = 1>", "u8[?,?] f32[] ? i8[4,3] f32[] ? -> ?[2,?]",
        "u8[2,3] f32[] u8[..] i8[4,3] f32[] i8[..] -> f32[2,4]"},
       {"com.microsoft.QAttention<num_heads = 2>",
        "u8[..] i8[6,24] f32[24] f32[] f32[] - ? ? -> ?[2,5,?]",
        "u8[2,5,6] i8[6,24] f32[24] f32[] f32[] - u8[..] i8[..] -> f32[2,5,8]"},
       {"com.microsoft.DynamicQuantizeLSTM<hidden_size = 4>",
        "?[5,2,3] u8[1,?,16] ? - - - - - f32[1] ? f32[1] u8[1] -> f32[5,1,2,4]",
        "f32[5,2,3] u8[1,3,16] u8[1,?,16] - - - - - f32[1] u8[..] f32[1] u8[1] -> f32[5,1,2,4]"}});
  return rows;
}

TEST_SUITE("facts backward, ops of ONNX Runtime") {
  TEST_CASE("through functions, norms, products and attentions") { check_facts(contrib_rows()); }
  TEST_CASE("through quantised ops") { check_facts(contrib_quantized_rows()); }
}

}  // namespace strata::testing
