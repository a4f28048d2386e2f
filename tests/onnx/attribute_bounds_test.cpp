#include "model_text.h"

namespace strata::testing {
namespace {

/// The error of reading, analysing and typing a model, after `change`.
template <class Change>
std::string refusal(const std::string& graph, int opset, Change change) {
  auto proto = model_of(
      cat("<ir_version: 8, opset_import: [\"\" : ", opset, ", \"ai.onnx.ml\" : 3]> ", graph));
  change(proto);
  return error_of([&] {
           hir::InferenceModel model = load_proto(proto);
           model.analyse();
           model.to_typed();
         })
      .message();
}

std::string refusal(const std::string& graph, int opset) {
  return refusal(graph, opset, [](auto&) {});
}

}  // namespace

TEST_CASE("counts of support vectors whose sum leaves 64 bits are refused") {
  const std::string text = refusal(
      "g (float[N,1] x) => (int64[N] y, float[N,3] z) { y, z = ai.onnx.ml.SVMClassifier"
      "<kernel_type = \"LINEAR\", vectors_per_class = [9223372036854775807, 9223372036854775807, "
      "3], "
      "support_vectors = [1.0], coefficients = [1.0, 1.0], rho = [1.0, 1.0, 1.0], "
      "classlabels_ints = [0, 1, 2]>(x) }",
      18);
  CHECK(text == "a class has 9223372036854775807 support vectors");
}

TEST_CASE("numbers whose sums and products leave 64 bits are refused") {
  const std::string most = "9223372036854775807";
  const auto says = [&](const std::string& graph, std::string_view what) {
    const std::string text = refusal(graph, 18);
    CAPTURE(text);
    CHECK(text.find(what) != std::string::npos);
  };
  says(cat("g (float[1,3] x, int64[1,", most,
           "] i) => (float[1] y) { y = GatherND<batch_dims = 1>(x, i) }"),
       "(C3)");
  for (const char* op : {"DepthToSpace", "SpaceToDepth"})
    says(cat("g (float[1,4,4,4] x) => (float[1,1,8,8] y) { y = ", op, "<blocksize = ", most,
             ">(x) }"),
         "the block size is");
  says(cat("g (float[2,3] x) => (float[2,3] y) { y = ai.onnx.ml.FeatureVectorizer<inputdimensions "
           "= [",
           most, "]>(x) }"),
       "inputdimensions has the entry");
}

TEST_CASE("groups of channels are equal") {
  const auto normalised = [](int groups) {
    return refusal(cat("g (float[1,3,4] x, float[3] s, float[3] b) => (float[1,3,4] y) "
                       "{ y = GroupNormalization<num_groups = ",
                       groups, ">(x, s, b) }"),
                   21);
  };
  CHECK(normalised(2) == "3 channels are not 2 equal groups");
  CHECK(normalised(0) == "num_groups is 0");
}

TEST_CASE(
    "a recurrent layer over what has no batch or no steps is refused, also where weights are "
    "known") {
  for (const char* layer : {"RNN", "GRU", "LSTM"})
    for (const char* x : {"float[3]", "float[2,3]"})
      CHECK(refusal(cat("g (", x,
                        " x) => (float[N] y) <float[1,4,3] w = {0,0,0,0,0,0,0,0,0,0,0,0}, "
                        "float[1,4,4] r = "
                        "{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}> { y = ",
                        layer, "<hidden_size = 4>(x, w, r) }"),
                    14, [](auto& proto) { proto.mutable_graph()->mutable_output(0)->clear_type(); })
                .find("rank") != std::string::npos);
}

TEST_CASE("a vector of sizes is no longer than a shape") {
  for (const char* call : {"ConstantOfShape(s)", "Expand(x, s)", "Reshape(x, s)"})
    CHECK(refusal(cat("g (int64[1000000000] s, float[1] x) => (float[N] y) { y = ", call, " }"), 13,
                  [](auto& proto) { proto.mutable_graph()->mutable_output(0)->clear_type(); })
              .find("1000000000") != std::string::npos);
}

TEST_CASE("axes far below those of any tensor are refused where the rank is unknown") {
  const auto refused = [](const std::string& call) {
    return refusal(cat("g (float[2] x) => (float[2] y) { y = ", call, " }"), 12, [](auto& proto) {
      auto* graph = proto.mutable_graph();
      graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
      graph->mutable_output(0)->clear_type();
    });
  };
  CHECK(refused("Softmax<axis = -8589934592>(x)") ==
        "axis -8589934592 of an input of unknown rank");
}

}  // namespace strata::testing
