#include "node_facts.h"

namespace strata::testing {

namespace {

std::string refusal(const std::string& op, const std::string& facts) {
  auto model = model_of_node(op, Side(facts));
  const Error error = error_of([&] { model.analyse(); });
  CHECK(error.kind() == ErrorKind::invalid_model);
  return error.what();
}

const std::string kBranches =
    "If<then_branch = t () => (float u) { u = Constant<value_float = 1.0>() }, else_branch = e () "
    "=> (float v) { v = Constant<value_float = 2.0>() }>";
const std::string kLoop =
    "Loop<body = b (int64 i, bool c, float[n] v) => (bool d, float[n] w) { d = Identity(c) w = "
    "Relu(v) "
    "}>";
const std::string kScan =
    "Scan<num_scan_inputs = 2, scan_input_axes = [0, 1], body = b (float[n] a, float[n] p, "
    "float[n] q) => "
    "(float[n] t, float[n] e) { r = Add(p, q) t = Add(a, r) e = Relu(p) }>";

std::string ml(const std::string& op) { return cat("ai.onnx.ml.", op); }

}  // namespace

TEST_CASE("inputs that contradict an op's equation are an error that shows it") {
  struct Case {
    std::string op, facts, equation;
  };
  const Case cases[] = {
      {"Add", "f32[2] i32[2] -> ?", "inputs[0].dtype == inputs[1].dtype"},
      {"Less", "f32[2] i32[2] -> ?", "inputs[0].dtype == inputs[1].dtype"},
      {"And", "f32[2] f32[2] -> ?", "inputs[0].dtype == bool"},
      {"Max", "f32[2] i32[2] -> ?", "outputs[0].dtype == inputs[1].dtype"},
      {"Where", "f32[2] f32[2] f32[2] -> ?", "inputs[0].dtype == bool"},
      {"Where", "bool[2] f32[2] i64[2] -> ?", "inputs[2].dtype == inputs[1].dtype"},
      {"MatMul", "f32[2,3] f32[4,5] -> ?", "inputs[0].shape[-1] == inputs[1].shape[-2]"},
      {"MatMulInteger", "u8[2,3] u8[4,5] -> ?", "inputs[0].shape[-1] == inputs[1].shape[-2]"},
      {"Gemm", "f32[2,3] f32[4,5] -> ?", "inputs[0].shape[1] == inputs[1].shape[0]"},
      {"Gemm", "f32[2] f32[4,5] -> ?", "inputs[0].rank == 2"},
      {"Conv", "f32[1,4,5,5] f32[6,3,3,3] -> ?", "inputs[0].shape[1] == inputs[1].shape[1]"},
      {"Conv<group = 2>", "f32[1,4,5,5] f32[6,3,3,3] -> ?",
       "inputs[0].shape[1] == inputs[1].shape[1] * 2"},
      {"Conv", "f32[1,3,5,5] f32[6,3,3,3] f32[5] -> ?", "inputs[2].shape[0] == inputs[1].shape[0]"},
      {"Conv<kernel_shape = [2,3]>", "f32[1,3,5,5] f32[6,3,3,3] -> ?", "inputs[1].shape[2] == 2"},
      {"ConvInteger<group = 2>", "u8[1,4,5,5] u8[6,3,3,3] -> ?",
       "inputs[0].shape[1] == inputs[1].shape[1] * 2"},
      {"ConvTranspose", "f32[1,4,5,5] f32[3,6,3,3] -> ?",
       "inputs[0].shape[1] == inputs[1].shape[0]"},
      {"MaxPool<kernel_shape = [2,2]>", "f32[1,4,5] -> ?", "inputs[0].rank == 4"},
      {"MaxUnpool<kernel_shape = [2,2]>", "f32[1,1,2,2] i64[1,1,2,3] -> ?",
       "inputs[1].shape == inputs[0].shape"},
      {"RoiAlign", "f32[1,1,4,4] f32[7,4] i64[6] -> ?", "inputs[2].shape[0] == inputs[1].shape[0]"},
      {"GridSample", "f32[2,1,4,4] f32[3,2,2,2] -> ?", "inputs[1].shape[0] == inputs[0].shape[0]"},
      {"Concat<axis = 1>", "f32[2,3] f32[4,3] -> ?", "outputs[0].shape[0] == inputs[1].shape[0]"},
      {"Concat<axis = 0>", "f32[2,3] f32[3] -> ?", "outputs[0].rank == inputs[1].rank"},
      {"Transpose<perm = [1,0]>", "f32[2,3,4] -> ?", "inputs[0].rank == 2"},
      {"ScatterElements", "f32[2,3] i64[1,3] f32[1,2] -> ?", "inputs[2].shape == inputs[1].shape"},
      {"ScatterND", "f32[2,3] i64[1,1] i32[1,3] -> ?", "inputs[2].dtype == inputs[0].dtype"},
      {"GatherElements", "f32[2,3] i64[2] -> ?", "inputs[0].rank == inputs[1].rank"},
      {"Tile", "f32[2,3] i64[3] -> ?", "inputs[1].shape[0] == 2"},
      {"OneHot", "i64[2] i64[] f32[3] -> ?", "inputs[2].shape == [2]"},
      {"Det", "f32[3,4] -> ?", "inputs[0].shape[-1] == inputs[0].shape[-2]"},
      {"BatchNormalization", "f32[2,3,4] f32[4] f32[4] f32[4] f32[4] -> ?",
       "inputs[1].shape[0] == inputs[0].shape[1]"},
      {"BatchNormalization", "f32[2,3,4] f32[3] f32[2] f32[3] f32[3] -> ?",
       "inputs[2].shape == inputs[1].shape"},
      {"Attention", "f32[2,4,5,8] f32[2,4,7,8] f32[2,4,6,8] -> ?",
       "inputs[2].shape[2] == inputs[1].shape[2]"},
      {"RNN<hidden_size = 4>", "f32[5,2,3] f32[1,4,7] f32[1,4,4] -> ?",
       "inputs[1].shape[2] == inputs[0].shape[2]"},
      {"GRU<hidden_size = 4>", "f32[5,2,3] f32[1,8,3] f32[1,12,4] -> ?",
       "inputs[1].shape[1] == 12"},
      {"LSTM<hidden_size = 4>", "f32[5,2,3] f32[1,16,3] f32[2,16,4] -> ?",
       "inputs[2].shape[0] == 1"},
      {"StringConcat", "string[2] f32[2] -> ?", "inputs[1].dtype == string"},
      {"Range", "f32[] i64[] f32[] -> ?", "inputs[1].dtype == inputs[0].dtype"},
      {"STFT", "f32[9] i64[] - i64[] -> ?", "inputs[0].rank == 3"},
      {"ai.onnx.ml.LinearRegressor<coefficients = [1.0, 2.0]>", "f32[4,3] -> ?",
       "inputs[0].shape[-1] == 2"},
      {"QLinearMatMul", "u8[2,3] f32[] i8[] i8[3,4] f32[] i8[] f32[] u8[] -> ?",
       "inputs[2].dtype == inputs[0].dtype"},
      {"QLinearConv", "u8[1,4,5,5] f32[] u8[] i8[6,4,3,3] f32[] u8[] f32[] u8[] -> ?",
       "inputs[5].dtype == inputs[3].dtype"},
      {"DeformConv", "f32[1,4,5,5] f64[6,4,3,3] f32[1,18,3,3] -> ?",
       "inputs[0].dtype == inputs[1].dtype"},
      {"Einsum<equation = \"ij,jk->ik\">", "f32[2,3] f64[3,4] -> ?",
       "outputs[0].dtype == inputs[1].dtype"},
      {"Einsum<equation = \"ij,jk->ik\">", "f32[2,3] f32[3] -> ?", "inputs[1].rank == 2"},
      {"Multinomial", "f32[4] -> ?", "inputs[0].rank == 2"},
      {"EyeLike", "f32[4] -> ?", "inputs[0].rank == 2"},
      {"Compress", "f32[4] i64[4] -> ?", "inputs[1].dtype == bool"},
      {"TensorScatter", "f32[1,4,3] f32[4,3] -> ?", "inputs[1].rank == inputs[0].rank"},
      {"Reshape", "f32[4] i64[2,2] -> ?", "inputs[1].rank == 1"},
      {"DepthToSpace<blocksize = 2>", "f32[4,2,2] -> ?", "inputs[0].rank == 4"},
      {"MaxRoiPool<pooled_shape = [2,2]>", "f32[1,1,4,4] f32[5] -> ?", "inputs[1].rank == 2"},
      {"Col2Im", "f32[1,4,4] {4,4} i64[3] -> ?", "inputs[2].shape == inputs[1].shape"},
      {"AffineGrid", "f32[2,3] {2,3,4,5} -> ?", "inputs[0].rank == 3"},
      {"AffineGrid", "f32[2,2,3] i64[5] -> ?", "outputs[0].rank == 4"},
      {"ImageDecoder", "i8[9] -> ?", "inputs[0].dtype == u8"},
      {"InstanceNormalization", "f32[2,3,4] f32[3] f32[4] -> ?",
       "inputs[2].shape[0] == inputs[0].shape[1]"},
      {"RotaryEmbedding", "f32[2,1,3,8] f32[2,3,4] f32[2,3,5] -> ?",
       "inputs[2].shape == inputs[1].shape"},
      {"LinearAttention@28<q_num_heads = 4, kv_num_heads = 2, update_rule = \"linear\">",
       "f32[1,6,32] f32[1,7,16] f32[1,6,10] -> ?", "inputs[1].shape[1] == inputs[0].shape[1]"},
      {"LinearAttention@28<q_num_heads = 4, kv_num_heads = 2, update_rule = \"linear\">",
       "f32[1,6,32] f32[1,6,18] f32[1,6,10] -> ? ?",
       "inputs[0].shape[2] == outputs[1].shape[2] * 4"},
      {"CausalConvWithState@28", "f32[2,4,6] f32[5,1,3] -> ?",
       "inputs[1].shape[0] == inputs[0].shape[1]"},
      {"ai.onnx.preview.FlexAttention", "f32[2,4,5,8] f32[2,4,7,9] f32[2,4,7,9] -> ?",
       "inputs[1].shape[3] == inputs[0].shape[3]"},
      {"SwiGLU@28", "f32[2,3] f32[2,4] -> ?", "inputs[1].shape == inputs[0].shape"},
      {"NegativeLogLikelihoodLoss", "f32[4,3] i64[5] -> ?",
       "inputs[1].shape[0] == inputs[0].shape[0]"},
      {"SoftmaxCrossEntropyLoss", "f32[4,3] i64[4] f32[4] -> ?",
       "inputs[2].shape[0] == inputs[0].shape[1]"},
      {"SequenceConstruct", "f32[2] i32[2] -> ?", "outputs[0].type == sequence(inputs[1].type)"},
      {"SequenceInsert", "sequence(f32[2]) i32[2] -> ?",
       "inputs[0].type == sequence(inputs[1].type)"},
      {"SequenceAt", "f32[2] i64[] -> ?", "inputs[0].type == sequence(outputs[0].type)"},
      {kBranches, "i32[] -> ?", "inputs[0].dtype == bool"},
      {kLoop, "i32[] bool[] f32[2] -> ?", "inputs[0].dtype == i64"},
      {"RegexFullMatch<pattern = \"a\">", "f32[2] -> ?", "inputs[0].dtype == string"},
      {"StringNormalizer", "f32[2] -> ?", "inputs[0].dtype == string"},
      {"StringSplit", "f32[2] -> ?", "inputs[0].dtype == string"},
      {ml("LabelEncoder<keys_strings = [\"a\"], values_int64s = [1]>"), "i64[2] -> ?",
       "inputs[0].dtype == string"},
      {"TfIdfVectorizer<mode = \"TF\", min_gram_length = 1, max_gram_length = 1, max_skip_count = "
       "0, ngram_counts = [0], ngram_indexes = [0], pool_strings = [\"a\"]>",
       "i64[2] -> ?", "inputs[0].dtype == string"},
      {ml("ArrayFeatureExtractor"), "f32[2,3] i32[1] -> ?", "inputs[1].dtype == i64"},
      {ml("OneHotEncoder<cats_strings = [\"a\", \"b\"]>"), "i64[4] -> ?",
       "inputs[0].dtype == string"},
      {ml("FeatureVectorizer<inputdimensions = [2, 3]>"), "f32[4,2] f32[5,3] -> ?",
       "outputs[0].shape[0] == inputs[1].shape[0]"},
      {ml("LinearClassifier<coefficients = [1.0, 2.0, 3.0, 4.0], intercepts = [0.0, 0.0], "
          "classlabels_ints = [4, 5]>"),
       "f32[4,3] -> ? ?", "inputs[0].shape[-1] == 2"},
      {ml("SVMRegressor<coefficients = [1.0, 2.0], rho = [0.0]>"), "f32[4,3] -> ?",
       "inputs[0].shape[-1] == 2"},
      {ml("SVMClassifier<classlabels_ints = [4, 5], coefficients = [1.0, 2.0, 3.0, 4.0], rho = "
          "[0.0]>"),
       "f32[4,3] -> ? ?", "inputs[0].shape[-1] == 2"},
      {ml("TreeEnsemble<nodes_featureids = [0], nodes_splits = float[1] {1.0}, nodes_modes = "
          "uint8[1] {0}, nodes_truenodeids = [0], nodes_trueleafs = [1], nodes_falsenodeids = [1], "
          "nodes_falseleafs = [1], leaf_targetids = [0, 0], leaf_weights = float[2] {1.0, 2.0}, "
          "tree_roots = [0], n_targets = 1>"),
       "f32[4] -> ?", "inputs[0].rank == 2"},
      {ml("CastMap"), "<i64[2]|f32[3]> -> ?", "inputs[1].shape == inputs[0].shape"},
      {ml("DictVectorizer<string_vocabulary = [\"a\", \"b\"]>"), "<i64[2]|f32[2]> -> ?",
       "inputs[0].dtype == string"},
      {ml("ZipMap<classlabels_strings = [\"a\", \"b\"]>"), "f32[4,3] -> <?|?>",
       "inputs[0].shape[-1] == 2"},
      {"ai.onnx.preview.training.Adagrad", "f32[] i64[] f32[2] f32[3] f32[2] -> ? ?",
       "inputs[3].shape == inputs[2].shape"},
      {"ai.onnx.preview.training.Adam", "f32[] i64[] f32[2] f32[2] f32[3] f32[2] -> ? ? ?",
       "inputs[4].shape == inputs[2].shape"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.op);
    CAPTURE(each.facts);
    const std::string text = refusal(each.op, each.facts);
    CHECK_MESSAGE(text.find("rule " + each.equation) != std::string::npos, text);
  }
}

TEST_CASE("an output that contradicts what the inputs tell is an error with both") {
  struct Case {
    std::string op, facts, both;
  };
  const Case cases[] = {
      {"Relu", "f32[2,3] -> f32[2,4]", "declared f32[2,4], inferred is f32[2,3]"},
      {"Relu", "f32[2] -> i32[2]", "declared i32[2], inferred is f32[2]"},
      {"IsNaN", "f32[2,3] -> bool[2]", "declared bool[2], inferred is bool[2,3]"},
      {"CastLike", "f32[2] i32[1] -> u8[2]", "declared u8[2], inferred is i32[2]"},
      {"QuantizeLinear", "f32[2] f32[] u8[] -> i8[2]", "declared i8[2], inferred is u8[2]"},
      {"Softmax", "f32[2,3] -> f32[3,2]", "declared f32[3,2], inferred is f32[2,3]"},
      {"ReduceSum", "f32[2,3] {1} -> f32[2]", "declared f32[2], inferred is f32[2,1]"},
      {"ArgMax<keepdims = 0>", "f32[2,3] -> i64[1,3]", "declared i64[1,3], inferred is i64[3]"},
      {"Slice", "f32[4] {1} {3} -> f32[3]", "declared f32[3], inferred is f32[2]"},
      {"Reshape", "f32[4] {2,2} -> f32[4]", "declared f32[4], inferred is f32[2,2]"},
      {"Flatten", "f32[2,3,4] -> f32[6,4]", "declared f32[6,4], inferred is f32[2,12]"},
      {"Shape", "f32[2,3] -> i64[3]", "declared i64[3], inferred is i64[2]"},
      {"Bernoulli", "f32[4] -> i32[4]", "declared i32[4], inferred is f32[4]"},
      {"Pad", "f32[4] i64[2] -> f32[4,4]", "declared f32[4,4], inferred is f32[?]"},
      {"DFT", "f32[1,4,2] -> f64[1,4,2]", "declared f64[1,4,2], inferred is f32[1,4,2]"},
      {"SplitToSequence", "f32[4] -> sequence(i32[4])",
       "declared sequence(i32[4]), inferred is sequence(f32[1])"},
      {"LpNormalization", "f32[4] -> f32[5]", "declared f32[5], inferred is f32[4]"},
      {"Identity", "sequence(f32[2]) -> sequence(i32[2])",
       "declared sequence(i32[2]), inferred is sequence(f32[2])"},
      {"SequenceErase", "sequence(f32[2]) -> sequence(f32[3])",
       "declared sequence(f32[3]), inferred is sequence(f32[2])"},
      {"Optional", "f32[2] -> optional(f32[3])",
       "declared optional(f32[3]), inferred is optional(f32[2])"},
      {kLoop, "i64[] bool[] f32[2] -> f32[3]", "declared f32[3], inferred is f32[2]"},
      {kScan, "f32[3] f32[7,3] f32[3,7] -> f32[4] ?", "declared f32[4], inferred is f32[3]"},
      {"Gather", "f32[4,3] i64[2] -> f32[3,3]", "declared f32[3,3], inferred is f32[2,3]"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.op);
    const std::string text = refusal(each.op, each.facts);
    CHECK_MESSAGE(text.find(each.both) != std::string::npos, text);
  }
}

}  // namespace strata::testing
