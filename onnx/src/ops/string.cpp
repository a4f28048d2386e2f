#include "ops/all.h"
#include "ops/named.h"
#include "strata/core/ops/regex_full_match.h"
#include "strata/core/ops/string_concat.h"
#include "strata/core/ops/string_normalizer.h"
#include "strata/core/ops/string_split.h"
#include "strata/core/ops/tf_idf.h"

namespace strata::onnx {
namespace {

hir::InferenceOp parse_string_concat(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::Direct{StringConcat{}};
}

hir::InferenceOp parse_string_split(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{StringSplit{node.text("delimiter", ""), node.integer("maxsplit")}};
}

hir::InferenceOp parse_regex_full_match(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Direct{RegexFullMatch{node.required_text("pattern")}};
}

hir::InferenceOp parse_string_normalizer(NodeArgs& node) {
  node.expect_inputs(1, 1);
  node.ignore("locale");
  const std::string action = node.text("case_change_action", "NONE");
  check(action == "NONE" || action == "LOWER" || action == "UPPER", "case_change_action is ",
        in_quotes(action));
  StringNormalizer op;
  if (action == "LOWER") op.change = StringCase::lower;
  if (action == "UPPER") op.change = StringCase::upper;
  if (node.flag("is_case_sensitive", false)) op.match = StopWordMatch::exact;
  op.stop_words = node.texts("stopwords").value_or(std::vector<std::string>{});
  return hir::Direct{op};
}

Tensor pool_of(NodeArgs& node) {
  const auto words = node.texts("pool_strings");
  const auto numbers = node.integers("pool_int64s");
  check(words.has_value() != numbers.has_value(), "one of pool_strings and pool_int64s is wanted");
  return words ? Tensor::vector<std::string>(std::span<const std::string>(*words))
               : integers_tensor(*numbers);
}

hir::InferenceOp parse_tf_idf(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const std::string mode = node.text("mode", "");
  check(mode == "TF" || mode == "IDF" || mode == "TFIDF", "mode is ", in_quotes(mode));
  TfIdf op;
  op.mode = mode == "TF" ? TfIdfMode::tf : mode == "IDF" ? TfIdfMode::idf : TfIdfMode::tfidf;
  op.least = node.required_integer("min_gram_length");
  op.greatest = node.required_integer("max_gram_length");
  op.skips = node.required_integer("max_skip_count");
  const Shape starts = node.required_integers("ngram_counts"),
              indices = node.required_integers("ngram_indexes");
  op.starts.assign(starts.begin(), starts.end());
  op.indices.assign(indices.begin(), indices.end());
  op.weights = node.numbers("weights").value_or(std::vector<float>{});
  op.pool = pool_of(node);
  return hir::Direct{op};
}

}  // namespace

void register_string(Registry& r) {
  r.add("RegexFullMatch", {20}, parse_regex_full_match);
  r.add("StringConcat", {20}, parse_string_concat);
  r.add("StringNormalizer", {10}, parse_string_normalizer);
  r.add("StringSplit", {20}, parse_string_split);
  r.add("TfIdfVectorizer", {9}, parse_tf_idf);
}

}  // namespace strata::onnx
