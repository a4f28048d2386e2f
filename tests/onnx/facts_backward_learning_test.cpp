#include "facts_backward.h"

namespace strata::testing {
namespace {

std::string ml(const std::string& op) { return cat("ai.onnx.ml.", op); }

/// x[0] <= 1 ends at leaf 1, else at leaf 2; `more` has what the leaves give.
std::string stump(const std::string& op, const std::string& more) {
  return ml(cat(op,
                "<nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 0, "
                "0], nodes_values = [1.0, 0.0, 0.0], nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", "
                "\"LEAF\"], nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0], ",
                more, ">"));
}

}  // namespace

FactRows tree_rows() {
  FactRows rows;
  rows.add({
      {ml("TreeEnsemble<nodes_featureids = [0], nodes_splits = float[1] {1.0}, nodes_modes = "
          "uint8[1] {0}, nodes_truenodeids = [0], nodes_trueleafs = [1], nodes_falsenodeids = [1], "
          "nodes_falseleafs = [1], leaf_targetids = [0, 0], leaf_weights = float[2] {1.0, 2.0}, "
          "tree_roots = [0], n_targets = 1>"),
       "? -> ?[4,?]", "f32[4,?] -> f32[4,1]"},
      {stump(
           "TreeEnsembleRegressor",
           "n_targets = 1, target_treeids = [0, 0], target_nodeids = [1, 2], target_ids = [0, 0], "
           "target_weights = [1.0, 2.0]"),
       "f32[?,?] -> ?[4,?]", "f32[4,?] -> f32[4,1]"},
      {stump("TreeEnsembleClassifier",
             "classlabels_int64s = [4, 5], class_treeids = [0, 0], class_nodeids = [1, 2], "
             "class_ids = [0, 1], class_weights = [1.0, 2.0]"),
       "f32[?,?] -> ?[4] ?", "f32[4,?] -> i64[4] f32[4,2]"},
  });
  return rows;
}

FactRows feature_rows() {
  FactRows rows;
  rows.add({
      {ml("LinearRegressor<coefficients = [1.0, 2.0]>"), "f32[?,?] -> ?[4,?]",
       "f32[4,2] -> f32[4,1]"},
      {ml("LinearClassifier<coefficients = [1.0, 2.0, 3.0, 4.0], intercepts = [0.0, 0.0], "
          "classlabels_ints = [4, 5]>"),
       "f32[?,?] -> ?[4] ?", "f32[4,2] -> i64[4] f32[4,2]"},
      {ml("SVMRegressor<n_supports = 1, support_vectors = [1.0, 2.0, 3.0], coefficients = [1.0], "
          "rho = [0.0]>"),
       "f32[?,?] -> ?[4,?]", "f32[4,3] -> f32[4,1]"},
      {ml("SVMRegressor<coefficients = [1.0, 2.0], rho = [0.0]>"), "f32[?,?] -> ?",
       "f32[?,2] -> f32[?,1]"},
      {ml("SVMClassifier<classlabels_ints = [4, 5], coefficients = [1.0, 2.0, 3.0, 4.0], rho = "
          "[0.0]>"),
       "f32[?,?] -> ? ?[4,?]", "f32[4,2] -> i64[4] f32[4,2]"},
      {ml("Imputer<imputed_value_floats = [1.0]>"), "? -> f32[2,3]", "f32[2,3] -> f32[2,3]"},
      {ml("OneHotEncoder<cats_strings = [\"a\", \"b\"]>"), "? -> ?[4,?,?]",
       "string[4,?] -> f32[4,?,2]"},
      {ml("FeatureVectorizer<inputdimensions = [2, 3]>"), "f32[?,2] f32[4,3] -> ?",
       "f32[4,2] f32[4,3] -> f32[4,5]"},
  });
  return rows;
}

FactRows map_rows() {
  FactRows rows;
  rows.add({
      {ml("CastMap"), "<?|f32[3]> -> ?", "<i64[3]|f32[3]> -> f32[1,3]"},
      {ml("DictVectorizer<string_vocabulary = [\"a\", \"b\"]>"), "<?[2]|?> -> f32[..]",
       "<string[2]|f32[2]> -> f32[2]"},
      {ml("ZipMap<classlabels_strings = [\"a\", \"b\"]>"), "?[?,?] -> <?|f32[4,?]>",
       "f32[4,2] -> <string[2]|f32[4,2]>"},
  });
  return rows;
}

FactRows training_rows() {
  FactRows rows;
  for (const std::string op : {"Adagrad",
                               "Momentum<mode = \"standard\", alpha = 0.9, beta = 1.0, "
                               "norm_coefficient = 0.0>"})
    rows.add(
        {{cat("ai.onnx.preview.training.", op), "f32[] i64[] ? f32[2,?] ? -> f32[2,3] f32[2,3]",
          "f32[] i64[] f32[2,3] f32[2,3] f32[2,3] -> f32[2,3] f32[2,3]"}});
  rows.add({
      {"ai.onnx.preview.training.Adam", "f32[] i64[] ? f32[2,3] ? ? -> f32[2,3] f32[2,3] f32[2,3]",
       "f32[] i64[] f32[2,3] f32[2,3] f32[2,3] f32[2,3] -> f32[2,3] f32[2,3] f32[2,3]"},
      {"ai.onnx.preview.training.Gradient<xs = [\"x0\"], y = \"x0\">", "? -> f32[2,3]",
       "f32[2,3] -> f32[2,3]"},
      {"NegativeLogLikelihoodLoss", "? ?[4,6] ? -> f32[..]", "f32[4,?,6] ?[4,6] f32[?] -> f32[]"},
      {"NegativeLogLikelihoodLoss<reduction = \"none\">", "f32[?,3] i64[..] ? -> ?[4]",
       "f32[4,3] i64[4] f32[3] -> f32[4]"},
  });
  return rows;
}

TEST_SUITE("facts flow backward") {
  TEST_CASE("through trees") { check_facts(tree_rows()); }
  TEST_CASE("through features and linear models") { check_facts(feature_rows()); }
  TEST_CASE("through maps") { check_facts(map_rows()); }
  TEST_CASE("through ops for training") { check_facts(training_rows()); }
}

}  // namespace strata::testing
