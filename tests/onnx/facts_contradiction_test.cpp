#include "node_facts.h"

namespace strata::testing {

namespace {

std::string refusal(const std::string& op, const std::string& facts) {
  auto model = model_of_node(op, Side(facts));
  const Error error = error_of([&] { model.analyse(); });
  CHECK(error.kind() == ErrorKind::invalid_model);
  return error.what();
}

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
      {"STFT", "f32[2,9] i64[] - i64[] -> ?", "inputs[0].rank == 3"},
      {"ai.onnx.ml.LinearRegressor<coefficients = [1.0, 2.0]>", "f32[4,3] -> ?",
       "inputs[0].shape[-1] == 2"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.op);
    CAPTURE(each.facts);
    CHECK_MESSAGE(refusal(each.op, each.facts).find("rule " + each.equation) != std::string::npos,
                  refusal(each.op, each.facts));
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
      {"Gather", "f32[4,3] i64[2] -> f32[3,3]", "declared f32[3,3], inferred is f32[2,3]"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.op);
    CHECK_MESSAGE(refusal(each.op, each.facts).find(each.both) != std::string::npos,
                  refusal(each.op, each.facts));
  }
}

}  // namespace strata::testing
