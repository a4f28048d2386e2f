#include "facts_backward.h"

namespace strata::testing {

FactRows same_type_rows() {
  FactRows rows;
  for (const char* op : {"Abs",
                         "Acos",
                         "Acosh",
                         "Asin",
                         "Asinh",
                         "Atan",
                         "Atanh",
                         "Ceil",
                         "Celu",
                         "Clip",
                         "Cos",
                         "Cosh",
                         "Dropout",
                         "Elu",
                         "Erf",
                         "Exp",
                         "Floor",
                         "Gelu",
                         "HardSigmoid",
                         "HardSwish",
                         "Hardmax",
                         "Identity",
                         "LRN<size = 3>",
                         "LeakyRelu",
                         "Log",
                         "LogSoftmax",
                         "LpNormalization",
                         "MeanVarianceNormalization",
                         "Mish",
                         "Neg",
                         "Reciprocal",
                         "Relu",
                         "Round",
                         "Selu",
                         "Shrink",
                         "Sigmoid",
                         "Sign",
                         "Sin",
                         "Sinh",
                         "Softmax",
                         "Softplus",
                         "Softsign",
                         "Sqrt",
                         "Swish",
                         "Tan",
                         "Tanh",
                         "ThresholdedRelu",
                         "Trilu",
                         "ai.onnx.ml.Binarizer"})
    rows.add({{op, "? -> f32[2,N,4,5]", "f32[2,N,4,5] -> f32[2,N,4,5]"},
              {op, "?[2,?,4,5] -> f32[?,3,?,?]", "f32[2,3,4,5] -> f32[2,3,4,5]"}});
  rows.add({{"BitwiseNot", "? -> i32[2,3]", "i32[2,3] -> i32[2,3]"},
            {"Not", "? -> bool[2,3]", "bool[2,3] -> bool[2,3]"},
            {"CumSum", "? {1} -> f32[2,3]", "f32[2,3] {1} -> f32[2,3]"},
            {"CumProd", "? {1} -> f32[2,3]", "f32[2,3] {1} -> f32[2,3]"},
            {"PRelu", "? f32[3] -> f32[2,3]", "f32[2,3] f32[3] -> f32[2,3]"},
            {"ReverseSequence", "? i64[3] -> f32[2,3]", "f32[2,3] i64[3] -> f32[2,3]"},
            {"RotaryEmbedding", "? ? f32[2,3,4] -> f32[2,1,3,8]",
             "f32[2,1,3,8] f32[2,3,4] f32[2,3,4] -> f32[2,1,3,8]"}});
  rows.add({{"SwiGLU@28", "? ? -> f32[2,3]", "f32[2,3] f32[2,3] -> f32[2,3]"},
            {"Bernoulli", "? -> f32[2,3]", "f32[2,3] -> f32[2,3]"}});
  rows.add({{"RandomNormalLike", "? -> f32[2,3]", "f32[2,3] -> f32[2,3]"},
            {"RandomUniformLike", "? -> f32[2,3]", "f32[2,3] -> f32[2,3]"},
            {"RandomUniformLike<dtype = 1>", "i32[..] -> ?[2,3]", "i32[2,3] -> f32[2,3]"}});
  return rows;
}

FactRows same_shape_rows() {
  FactRows rows;
  rows.add({{"Cast<to = 6>", "f32[..] -> ?[2,3]", "f32[2,3] -> i32[2,3]"},
            {"CastLike", "f32[..] ? -> i32[2,3]", "f32[2,3] i32[..] -> i32[2,3]"},
            {"BitCast<to = 6>", "f32[..] -> ?[2,3]", "f32[2,3] -> i32[2,3]"},
            {"IsNaN", "f32[..] -> ?[2,3]", "f32[2,3] -> bool[2,3]"},
            {"IsInf", "f32[..] -> ?[2,3]", "f32[2,3] -> bool[2,3]"},
            {"QuantizeLinear", "f32[..] f32[] ? -> i8[2,3]", "f32[2,3] f32[] i8[..] -> i8[2,3]"},
            {"DequantizeLinear", "u8[..] ? -> f16[2,3]", "u8[2,3] f16[..] -> f16[2,3]"},
            {"EyeLike<dtype = 1>", "i32[..] -> ?[2,3]", "i32[2,3] -> f32[2,3]"},
            {"RegexFullMatch<pattern = \"a\">", "? -> ?[2,3]", "string[2,3] -> bool[2,3]"},
            {"ai.onnx.ml.Scaler<offset = [0.0], scale = [1.0]>", "i64[..] -> ?[2,3]",
             "i64[2,3] -> f32[2,3]"},
            {"ai.onnx.ml.Normalizer", "i64[..] -> ?[2,3]", "i64[2,3] -> f32[2,3]"}});
  rows.add({{"Bernoulli<dtype = 6>", "f32[..] -> ?[2,3]", "f32[2,3] -> i32[2,3]"},
            {"DynamicQuantizeLinear", "f32[..] -> ?[2,3] ? ?", "f32[2,3] -> u8[2,3] f32[] u8[]"}});
  return rows;
}

FactRows one_type_rows() {
  FactRows rows;
  for (const char* op :
       {"Add", "Div", "Mul", "Sub", "Mod<fmod = 1>", "Max", "Mean", "Min", "Sum"}) {
    rows.add({{op, "? f32[3] -> ?", "f32[..] f32[3] -> f32[..]"},
              {op, "? ? -> f32[..]", "f32[..] f32[..] -> f32[..]"}});
  }
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift<direction = \"LEFT\">"})
    rows.add({{op, "? ? -> u8[..]", "u8[..] u8[..] -> u8[..]"}});
  for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
    rows.add({{op, "? f32[3] -> ?", "f32[..] f32[3] -> bool[..]"}});
  for (const char* op : {"And", "Or", "Xor"})
    rows.add({{op, "? bool[3] -> ?", "bool[..] bool[3] -> bool[..]"}});
  rows.add({{"Pow", "? i32[3] -> f32[..]", "f32[..] i32[3] -> f32[..]"},
            {"Where", "? f32[3] ? -> ?", "bool[..] f32[3] f32[..] -> f32[..]"},
            {"StringConcat", "? ? -> ?", "string[..] string[..] -> string[..]"},
            {"Range", "? ? f32[] -> ?", "f32[..] f32[..] f32[] -> f32[?]"}});
  return rows;
}

FactRows product_rows() {
  FactRows rows;
  rows.add({{"MatMul", "?[?,?] f32[3,4] -> ?[2,4]", "f32[2,3] f32[3,4] -> f32[2,4]"},
            {"MatMul", "f32[2,3] ?[?,?] -> ?[2,4]", "f32[2,3] f32[3,4] -> f32[2,4]"},
            {"MatMul", "f32[5,2,?] f32[3,?] -> ?[?,?,4]", "f32[5,2,3] f32[3,4] -> f32[5,2,4]"},
            {"Gemm<transB = 1>", "f32[2,?] ?[4,3] ? -> ?", "f32[2,3] f32[4,3] f32[..] -> f32[2,4]"},
            {"Gemm<transA = 1>", "? ? -> f32[2,4]", "f32[?,2] f32[?,4] -> f32[2,4]"},
            {"MatMulInteger", "u8[?,?] u8[3,4] ? -> ?[2,4]", "u8[2,3] u8[3,4] u8[..] -> i32[2,4]"},
            {"QLinearMatMul", "?[?,?] f32[] u8[] i8[3,4] f32[] ? f32[] ? -> u8[2,4]",
             "u8[2,3] f32[] u8[] i8[3,4] f32[] i8[..] f32[] u8[..] -> u8[2,4]"}});
  rows.add({{"MatMul", "f32[3] ? -> ?[2,4]", "f32[3] f32[2,3,4] -> f32[2,4]"},
            {"MatMul", "? f32[3] -> ?[2,4]", "f32[2,4,3] f32[3] -> f32[2,4]"},
            {"MatMul", "f32[2,3] ? -> ?[2]", "f32[2,3] f32[3] -> f32[2]"},
            {"MatMul", "f32[2,3] ? -> ?[5,2,4]", "f32[2,3] f32[5,3,4] -> f32[5,2,4]"},
            {"MatMul", "f32[2,3] ? -> ?[2,4]", "f32[2,3] f32[3,4] -> f32[2,4]"},
            {"MatMul", "f32[5,2,3] ? -> ?[5,2,4]", "f32[5,2,3] f32[..] -> f32[5,2,4]"},
            {"Einsum<equation = \"ij,jk->ik\">", "? f32[?,?] -> ?[2,4]",
             "f32[2,?] f32[?,4] -> f32[2,4]"},
            {"Einsum<equation = \"...i,...ij->...j\">", "? f32[..] -> f32[3,4]",
             "f32[..] f32[..] -> f32[3,4]"},
            {"Einsum<equation = \"b...i->i...b\">", "f32[?,5,?] -> ?[2,?,4]",
             "f32[4,5,2] -> f32[2,5,4]"},
            {"Multinomial<sample_size = 5>", "f32[?,?] -> ?[4,?]", "f32[4,?] -> i32[4,5]"}});
  return rows;
}

FactRows convolution_rows() {
  FactRows rows;
  rows.add({{"Conv<kernel_shape = [3,3]>", "? f32[?,4,?,?] ? -> ?[1,6,5,5]",
             "f32[1,4,?,?] f32[6,4,3,3] f32[6] -> f32[1,6,5,5]"},
            {"Conv<group = 2>", "? f32[6,4,3,3] -> ?", "f32[?,8,?,?] f32[6,4,3,3] -> f32[?,6,?,?]"},
            {"Conv<group = 2>", "f32[1,8,9,9] ? -> ?[?,6,?,?]",
             "f32[1,8,9,9] f32[6,4,?,?] -> f32[1,6,?,?]"},
            {"ConvTranspose<group = 2>", "? f32[4,3,2,2] -> ?[1,?,?,?]",
             "f32[1,4,?,?] f32[4,3,2,2] -> f32[1,6,?,?]"},
            {"DeformConv", "? f32[6,4,3,3] f32[1,18,5,5] -> ?[1,?,?,?]",
             "f32[1,?,?,?] f32[6,4,3,3] f32[1,18,5,5] -> f32[1,6,?,?]"},
            // A number for each of several channels.
            {"DeformConv", "f32[1,4,5,5] f32[6,4,3,3] f32[1,18,3,3] f32[6] -> ?",
             "f32[1,4,5,5] f32[6,4,3,3] f32[1,18,3,3] f32[6] -> f32[1,6,3,3]"},
            {"ConvInteger", "u8[..] u8[6,4,3,3] ? -> ?[1,?,?,?]",
             "u8[1,4,?,?] u8[6,4,3,3] u8[..] -> i32[1,6,?,?]"},
            {"QLinearConv", "? f32[] u8[] ?[6,4,3,3] f32[] i8[] f32[] ? ? -> u8[1,?,?,?]",
             "u8[1,4,?,?] f32[] u8[] i8[6,4,3,3] f32[] i8[] f32[] u8[..] i32[..] -> u8[1,6,?,?]"}});
  return rows;
}

FactRows image_rows() {
  FactRows rows;
  for (const char* op : {"MaxPool<kernel_shape = [2,2]>", "AveragePool<kernel_shape = [2,2]>",
                         "LpPool<kernel_shape = [2,2]>"})
    rows.add({{op, "? -> f32[2,3,4,4]", "f32[2,3,?,?] -> f32[2,3,4,4]"}});
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"})
    rows.add({{op, "? -> f32[2,3,?,?]", "f32[2,3,?,?] -> f32[2,3,1,1]"}});
  rows.add(
      {{"MaxUnpool<kernel_shape = [2,2]>", "? ?[2,3,4,4] -> f32[..]",
        "f32[2,3,4,4] i64[2,3,4,4] -> f32[2,3,5,5]"},
       {"MaxRoiPool<pooled_shape = [2,2]>", "? f32[7,5] -> ?[?,3,?,?]",
        "f32[?,3,?,?] f32[7,5] -> f32[7,3,2,2]"},
       {"RoiAlign", "? f32[7,4] i64[?] -> ?[?,3,?,?]",
        "f32[?,3,?,?] f32[7,4] i64[7] -> f32[7,3,1,1]"},
       {"GridSample", "? f32[?,4,5,2] -> f32[2,3,?,?]",
        "f32[2,3,?,?] f32[2,4,5,2] -> f32[2,3,4,5]"},
       {"DepthToSpace<blocksize = 2>", "? -> f32[2,1,4,4]", "f32[2,?,?,?] -> f32[2,1,4,4]"},
       {"SpaceToDepth<blocksize = 2>", "? -> f32[2,4,2,2]", "f32[2,?,?,?] -> f32[2,4,2,2]"},
       {"Resize", "? - - i64[4] -> f32[?,?,?,?]", "f32[?,?,?,?] - - i64[4] -> f32[?,?,?,?]"},
       {"CenterCropPad", "? i64[2] -> f32[?,?]", "f32[?,?] i64[2] -> f32[?,?]"},
       {"Col2Im", "? {4,4} i64[..] -> f32[2,3,4,4]", "f32[2,?,?] {4,4} i64[2] -> f32[2,3,4,4]"},
       {"Det", "? -> f32[5]", "f32[5,?,?] -> f32[5]"}});
  rows.add({{"AffineGrid", "? {2,3,4,5} -> f32[..]", "f32[2,2,3] {2,3,4,5} -> f32[2,4,5,2]"},
            {"AffineGrid", "? i64[..] -> f32[2,?,?,?,3]", "f32[2,3,4] i64[5] -> f32[2,?,?,?,3]"},
            {"ImageDecoder", "? -> ?", "u8[?] -> u8[?,?,3]"},
            {"Upsample@9", "? f32[4] -> f32[?,?,?,?]", "f32[?,?,?,?] f32[4] -> f32[?,?,?,?]"}});
  rows.add({{"NonMaxSuppression", "? f32[2,3,7] -> ?", "f32[2,7,4] f32[2,3,7] -> i64[?,3]"},
            {"ConstantOfShape", "? -> f32[?,?]", "i64[2] -> f32[?,?]"}});
  return rows;
}

TEST_SUITE("facts flow backward") {
  TEST_CASE("through ops whose output is of the type and shape of the input") {
    check_facts(same_type_rows());
  }
  TEST_CASE("through ops whose output is of the shape of the input") {
    check_facts(same_shape_rows());
  }
  TEST_CASE("among operands of one type") { check_facts(one_type_rows()); }
  TEST_CASE("through matrix products") { check_facts(product_rows()); }
  TEST_CASE("through convolutions") { check_facts(convolution_rows()); }
  TEST_CASE("through poolings and ops on images") { check_facts(image_rows()); }
}

}  // namespace strata::testing
