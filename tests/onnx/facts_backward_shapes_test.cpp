#include "facts_backward.h"

namespace strata::testing {

FactRows moving_rows() {
  FactRows rows;
  rows.add(
      {{"Transpose<perm = [2,0,1]>", "? -> f32[4,2,3]", "f32[2,3,4] -> f32[4,2,3]"},
       {"Transpose", "?[?,N] -> f32[?,2]", "f32[2,N] -> f32[N,2]"},
       {"Concat<axis = 1>", "? f32[?,5] -> ?[2,?]", "f32[2,?] f32[2,5] -> f32[2,?]"},
       {"Split<axis = 0, num_outputs = 2>", "? -> f32[2,3] ?", "f32[?,3] -> f32[2,3] f32[?,3]"},
       {"Slice", "? i64[2] i64[2] -> f32[2,3]", "f32[?,?] i64[2] i64[2] -> f32[2,3]"},
       {"Pad", "? i64[4] -> f32[2,3]", "f32[?,?] i64[4] -> f32[2,3]"},
       {"Tile", "? i64[..] -> f32[2,3]", "f32[?,?] i64[2] -> f32[2,3]"},
       {"Expand", "? i64[2] -> f32[2,3]", "f32[..] i64[2] -> f32[2,3]"},
       {"Reshape", "? i64[..] -> f32[2,3]", "f32[..] i64[2] -> f32[2,3]"},
       {"Flatten", "? -> f32[2,3]", "f32[..] -> f32[2,3]"},
       {"Squeeze", "? {0,2} -> f32[3]", "f32[?,?,?] {0,2} -> f32[3]"},
       {"Unsqueeze", "? {0} -> f32[1,3]", "f32[?] {0} -> f32[1,3]"},
       {"Shape", "f32[..] -> ?[3]", "f32[?,?,?] -> i64[3]"},
       {"NonZero", "f32[..] -> ?[2,?]", "f32[?,?] -> i64[2,?]"}});
  return rows;
}

FactRows picking_rows() {
  FactRows rows;
  rows.add(
      {{"Gather<axis = 1>", "? i64[5] -> f32[2,?,4]", "f32[2,?,4] i64[5] -> f32[2,5,4]"},
       {"Gather", "?[7,3] i64[..] -> f32[2,5,3]", "f32[7,3] i64[2,5] -> f32[2,5,3]"},
       {"GatherElements", "? i64[..] -> f32[2,3]", "f32[?,?] i64[2,3] -> f32[2,3]"},
       {"GatherND", "? i64[2,1] -> f32[..]", "f32[..] i64[2,1] -> f32[..]"},
       {"ScatterElements", "? i64[?,?] ?[1,3] -> f32[2,3]",
        "f32[2,3] i64[1,3] f32[1,3] -> f32[2,3]"},
       {"ScatterND", "? i64[1,1] ? -> f32[2,3]", "f32[2,3] i64[1,1] f32[..] -> f32[2,3]"},
       {"TensorScatter", "? ? -> f32[1,4,3]", "f32[1,4,3] f32[?,?,?] -> f32[1,4,3]"},
       {"Compress<axis = 0>", "? ? -> f32[?,3]", "f32[?,3] bool[?] -> f32[?,3]"},
       {"TopK<axis = 0>", "? i64[1] -> f32[?,3] ?", "f32[?,3] i64[1] -> f32[?,3] i64[?,3]"},
       {"Unique", "? -> f32[?]", "f32[..] -> f32[?]"},
       {"OneHot", "i64[..] i64[] ? -> f32[2,3,?]", "i64[?,?] i64[] f32[2] -> f32[2,3,?]"},
       {"ai.onnx.ml.ArrayFeatureExtractor", "? ? -> f32[1,2]", "f32[..] i64[..] -> f32[1,2]"}});
  rows.add(
      {{"Scatter@10", "? i64[?,?] ?[1,3] -> f32[2,3]", "f32[2,3] i64[1,3] f32[1,3] -> f32[2,3]"}});
  return rows;
}

FactRows reduction_rows() {
  FactRows rows;
  for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
                         "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"})
    rows.add({{op, "? i64[1] -> f32[2,1]", "f32[?,?] i64[1] -> f32[2,1]"},
              {cat(op, "<keepdims = 0>"), "? {1} -> f32[2]", "f32[?,?] {1} -> f32[2]"}});
  for (const char* op : {"ArgMax", "ArgMin"})
    rows.add({{op, "f32[..] -> ?[1,3]", "f32[?,?] -> i64[1,3]"},
              {cat(op, "<keepdims = 0>"), "f32[..] -> ?[3]", "f32[?,?] -> i64[3]"}});
  return rows;
}

FactRows normalization_rows() {
  FactRows rows;
  rows.add({{"BatchNormalization", "? f32[?] ? ? ? -> f32[2,3,4]",
             "f32[2,3,4] f32[3] ?[3] ?[3] ?[3] -> f32[2,3,4]"},
            {"LayerNormalization", "? f32[4] -> f32[2,4]", "f32[2,4] f32[4] -> f32[2,4]"},
            {"RMSNormalization", "f32[..] ? -> f32[2,4]", "f32[2,4] f32[..] -> f32[2,4]"},
            {"InstanceNormalization", "? f32[3] f32[3] -> f32[2,3,4]",
             "f32[2,3,4] f32[3] f32[3] -> f32[2,3,4]"},
            {"GroupNormalization<num_groups = 2>", "? f32[4] f32[4] -> f32[2,4,5]",
             "f32[2,4,5] f32[4] f32[4] -> f32[2,4,5]"}});
  return rows;
}

FactRows layer_rows() {
  FactRows rows;
  rows.add({{"Attention", "? f32[2,4,7,8] ?[?,?,?,9] -> ?[?,?,5,?]",
             "f32[2,?,5,8] f32[2,4,7,8] ?[?,?,7,9] -> f32[2,?,5,9]"},
            {"RNN<hidden_size = 4>", "? f32[1,4,3] ? -> f32[5,1,2,4]",
             "f32[5,2,3] f32[1,4,3] f32[1,4,4] -> f32[5,1,2,4]"},
            {"GRU<hidden_size = 4>", "f32[5,2,3] ? ? -> f32[5,1,2,4]",
             "f32[5,2,3] f32[1,12,3] f32[1,12,4] -> f32[5,1,2,4]"},
            {"LSTM", "f32[5,2,3] ? f32[1,16,4] ? -> f32[5,1,2,4]",
             "f32[5,2,3] f32[1,16,3] f32[1,16,4] f32[1,32] -> f32[5,1,2,4]"},
            {"LSTM<direction = \"bidirectional\">", "f32[5,2,3] ? ?[?,?,4] - ? ? -> f32[5,2,2,4]",
             "f32[5,2,3] f32[2,16,3] f32[2,16,4] - i32[2] f32[2,2,4] -> f32[5,2,2,4]"}});
  rows.add({{"LinearAttention@28<q_num_heads = 4, kv_num_heads = 2, update_rule = \"linear\">",
             "? ? f32[1,6,10] -> ? ?[?,?,8,?]",
             "f32[1,6,32] f32[1,6,16] f32[1,6,10] -> f32[1,6,20] f32[1,2,8,5]"},
            {"CausalConvWithState@28", "? f32[4,?,3] ? ? -> ?[2,?,6]",
             "f32[2,4,6] f32[4,1,3] f32[4] f32[2,4,?] -> f32[2,4,6]"},
            {"ai.onnx.preview.FlexAttention", "? f32[2,4,7,8] ? -> ?[?,?,5,9]",
             "f32[?,?,5,8] f32[2,4,7,8] f32[?,4,7,9] -> f32[?,?,5,9]"}});
  return rows;
}

FactRows signal_rows() {
  FactRows rows;
  rows.add({{"DFT", "? - i64[] -> f32[2,5,2]", "f32[?,?,?] - i64[] -> f32[2,5,2]"},
            {"STFT", "? i64[] - i64[] -> f32[2,?,?,2]", "f32[..] i64[] - i64[] -> f32[2,?,?,2]"},
            {"SoftmaxCrossEntropyLoss", "? i64[2] -> f32[] f32[2,3]",
             "f32[2,3] i64[2] -> f32[] f32[2,3]"},
            {"ai.onnx.ml.LinearRegressor<coefficients = [1.0, 2.0]>", "f32[4,?] -> ?",
             "f32[4,2] -> f32[4,1]"}});
  return rows;
}

TEST_SUITE("facts flow backward") {
  TEST_CASE("through ops that move axes and elements") { check_facts(moving_rows()); }
  TEST_CASE("through ops that pick and place elements") { check_facts(picking_rows()); }
  TEST_CASE("through reductions") { check_facts(reduction_rows()); }
  TEST_CASE("through normalisations") { check_facts(normalization_rows()); }
  TEST_CASE("through attention and recurrent layers") { check_facts(layer_rows()); }
  TEST_CASE("through ops for signals and learning") { check_facts(signal_rows()); }
}

}  // namespace strata::testing
