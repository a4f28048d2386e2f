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

TEST_CASE("leaves with more votes than others repeat only the ways that lead to them") {
  // x <= 1 ends at leaf 1; else x <= 3 at leaf 3, x > 3 at leaf 4.
  const auto deeper = [](const std::string& aggregate) {
    auto proto = model_of(regression(aggregate));
    auto& attributes = *proto.mutable_graph()->mutable_node(0)->mutable_attribute();
    const auto set = [&](std::string_view name, std::initializer_list<int> values) {
      for (auto& attribute : attributes) {
        if (attribute.name() != name) continue;
        attribute.clear_ints();
        for (const int value : values) attribute.add_ints(value);
      }
    };
    for (auto& attribute : attributes) {
      if (attribute.name() == "nodes_modes") {
        attribute.set_strings(2, "BRANCH_LEQ");
        for (int i = 0; i < 2; ++i) attribute.add_strings("LEAF");
      }
      if (attribute.name() == "nodes_values") {
        attribute.set_floats(2, 3);
        for (int i = 0; i < 2; ++i) attribute.add_floats(0);
      }
      if (attribute.name() == "target_weights")
        for (const float weight : {6, 7}) attribute.add_floats(weight);
    }
    set("nodes_treeids", {0, 0, 0, 0, 0});
    set("nodes_featureids", {0, 0, 0, 0, 0});
    set("nodes_nodeids", {0, 1, 2, 3, 4});
    set("nodes_truenodeids", {1, 0, 3, 0, 0});
    set("nodes_falsenodeids", {2, 0, 4, 0, 0});
    set("target_treeids", {0, 0, 0, 0, 0});
    set("target_nodeids", {1, 3, 4, 4, 4});
    set("target_ids", {0, 0, 0, 1, 1});
    return proto;
  };
  const auto scores_of = [&](const std::string& aggregate) {
    auto proto = deeper(aggregate);
    proto.mutable_graph()->mutable_output(0)->clear_type();
    hir::InferenceModel model = load_proto(proto);
    model.analyse();
    return run_model(model.to_typed(), ValueList{Tensor::of<float>({3, 1}, {0, 2, 4})})[0];
  };
  // Weights in order: leaf 1 gives 3, leaf 3 gives 4, leaf 4 gives 5 to target 0 and 6, 7 to 1.
  CHECK(scores_of("SUM") == Value(Tensor::of<float>({3, 2}, {3, 0, 4, 0, 5, 13})));
  CHECK(scores_of("AVERAGE") == Value(Tensor::of<float>({3, 2}, {3, 0, 4, 0, 5, 13})));
  constexpr float kLeast = std::numeric_limits<float>::lowest(), kMost = -kLeast;
  CHECK(scores_of("MAX") == Value(Tensor::of<float>({3, 2}, {3, kLeast, 4, kLeast, 5, 7})));
  CHECK(scores_of("MIN") == Value(Tensor::of<float>({3, 2}, {3, kMost, 4, kMost, 5, 6})));
}

TEST_CASE("a leaf of many votes beside many branches takes no room for all of them each time") {
  // A chain of branches whose last one has the leaves; the first of all leaves has the votes.
  constexpr int kBranches = 20'000, kVotes = 20'000;
  auto proto = model_of(regression("SUM"));
  const auto attribute_of = [&](std::string_view name) -> ::onnx::AttributeProto& {
    for (auto& attribute : *proto.mutable_graph()->mutable_node(0)->mutable_attribute())
      if (attribute.name() == name) {
        attribute.clear_ints();
        attribute.clear_floats();
        attribute.clear_strings();
        return attribute;
      }
    FAIL("no attribute " << name);
    return *proto.mutable_graph()->mutable_node(0)->mutable_attribute(0);
  };
  auto &trees = attribute_of("nodes_treeids"), &ids = attribute_of("nodes_nodeids"),
       &features = attribute_of("nodes_featureids"), &values = attribute_of("nodes_values"),
       &modes = attribute_of("nodes_modes"), &on_true = attribute_of("nodes_truenodeids"),
       &on_false = attribute_of("nodes_falsenodeids");
  for (int i = 0; i <= 2 * kBranches; ++i) {  // even ones are branches, but the last
    const bool is_branch = i % 2 == 0 && i < 2 * kBranches;
    trees.add_ints(0);
    ids.add_ints(i);
    features.add_ints(0);
    values.add_floats(static_cast<float>(i));
    modes.add_strings(is_branch ? "BRANCH_LEQ" : "LEAF");
    on_true.add_ints(is_branch ? i + 1 : 0);
    on_false.add_ints(is_branch ? i + 2 : 0);
  }
  auto &voting = attribute_of("target_nodeids"), &targets = attribute_of("target_ids"),
       &weights = attribute_of("target_weights"), &of_tree = attribute_of("target_treeids");
  for (int i = 0; i < kVotes; ++i) {
    of_tree.add_ints(0);
    voting.add_ints(1);
    targets.add_ints(i % 2);
    weights.add_floats(1);
  }
  proto.mutable_graph()->mutable_output(0)->clear_type();
  hir::InferenceModel model = load_proto(proto);
  model.analyse();
  const ValueList rows{Tensor::of<float>({2, 1}, {0, 1})};
  CHECK(run_model(model.to_typed(), rows)[0] ==
        Value(Tensor::of<float>({2, 2}, {kVotes / 2, kVotes / 2, 0, 0})));
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
