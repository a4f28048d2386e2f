#include <limits>

#include "model_text.h"
#include "strata/core/session.h"

namespace strata::testing {
namespace {

/// x[0] <= 1 ends at leaf 1, else at leaf 2; `more` has what the leaves give.
std::string stump(const std::string& op, const std::string& outputs, const std::string& more) {
  return cat("<ir_version: 8, opset_import: [\"\" : 13, \"ai.onnx.ml\" : 3]> g (float[N,1] x) => (",
             "float y) { ", outputs, " = ai.onnx.ml.", op,
             "<nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, 0], "
             "nodes_values = [1.0, 0.0, 0.0], nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], "
             "nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], ",
             more, ">(x) }");
}

Value scores(const std::string& text) {
  auto proto = model_of(text);
  proto.mutable_graph()->mutable_output(0)->clear_type();
  hir::InferenceModel model = load_proto(proto);
  model.analyse();
  const ValueList rows{Tensor::of<float>({2, 1}, {0, 2})};
  return run_model(model.to_typed(), rows)[0];
}

std::string regression(const std::string& aggregate) {
  return stump(
      "TreeEnsembleRegressor", "y",
      cat("n_targets = 2, aggregate_function = \"", aggregate,
          "\", target_treeids = [0, 0, 0], target_nodeids = [1, 1, 2], target_ids = [0, 1, 1], "
          "target_weights = [3.0, 4.0, 5.0]"));
}

}  // namespace

TEST_CASE("a leaf may give weights to several targets") {
  CHECK(scores(regression("SUM")) == Value(Tensor::of<float>({2, 2}, {3, 4, 0, 5})));
  // One tree, however often it was written for the second weights of leaves.
  CHECK(scores(regression("AVERAGE")) == Value(Tensor::of<float>({2, 2}, {3, 4, 0, 5})));
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  CHECK(scores(regression("MAX")) == Value(Tensor::of<float>({2, 2}, {3, 4, kLeast, 5})));
}

TEST_CASE("votes for one class only are those for the second of two") {
  const std::string votes =
      "class_treeids = [0, 0], class_nodeids = [1, 2], class_ids = [0, 0], class_weights = [0.25, "
      "0.75]";
  CHECK(scores(
            stump("TreeEnsembleClassifier", "l, y", cat(votes, ", classlabels_int64s = [4, 5]"))) ==
        Value(Tensor::of<float>({2, 2}, {0.75, 0.25, 0.25, 0.75})));
  CHECK(scores(stump("TreeEnsembleClassifier", "y, s",
                     cat(votes, ", classlabels_strings = [\"a\", \"b\"]"))) ==
        Value(Tensor::of<std::string>({2}, {"a", "b"})));
}

TEST_CASE("nodes that lead nowhere, and lists of other lengths") {
  auto proto = model_of(regression("SUM"));
  auto& node = *proto.mutable_graph()->mutable_node(0);
  for (auto& attribute : *node.mutable_attribute())
    if (attribute.name() == "nodes_truenodeids") attribute.set_ints(0, 7);
  CHECK(error_of_model(proto).message() == "tree 0 has no node 7");
  for (auto& attribute : *node.mutable_attribute())
    if (attribute.name() == "nodes_truenodeids") attribute.add_ints(1);
  CHECK(error_of_model(proto).message() == "nodes_truenodeids has 4 entries, not 3");
}

}  // namespace strata::testing
