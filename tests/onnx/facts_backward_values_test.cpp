#include "facts_backward.h"

namespace strata::testing {

FactRows container_rows() {
  FactRows rows;
  rows.add({
      {"SequenceConstruct", "? f32[3] -> ?", "f32[..] f32[3] -> sequence(f32[..])"},
      {"SequenceConstruct", "? ? -> sequence(f32[2])", "f32[..] f32[..] -> sequence(f32[2])"},
      {"SequenceAt", "? i64[] -> f32[2]", "sequence(f32[..]) i64[] -> f32[2]"},
      {"SequenceInsert", "? f32[2] -> ?", "sequence(f32[..]) f32[2] -> sequence(f32[..])"},
      {"SequenceInsert", "? ? -> sequence(i64[..])",
       "sequence(i64[..]) i64[..] -> sequence(i64[..])"},
      {"SequenceErase", "? -> sequence(f32[2])", "sequence(f32[..]) -> sequence(f32[2])"},
      {"SplitToSequence", "? i64[] -> sequence(f32[2])", "f32[..] i64[] -> sequence(f32[2])"},
      {"ConcatFromSequence<axis = 0>", "? -> f32[2]", "sequence(f32[..]) -> f32[2]"},
      {"Optional", "? -> optional(f32[2,?])", "f32[2,?] -> optional(f32[2,?])"},
      {"Optional", "? -> optional(sequence(f32[..]))",
       "sequence(f32[..]) -> optional(sequence(f32[..]))"},
      {"OptionalGetElement", "optional(?) -> f32[2]", "optional(f32[2]) -> f32[2]"},
      {"OptionalGetElement", "f32[..] -> ?[2]", "f32[2] -> f32[2]"},
      {"OptionalGetElement", "? -> f32[2]", "? -> f32[2]"},
      {"Identity", "? -> sequence(f32[2])", "sequence(f32[..]) -> sequence(f32[2])"},
  });
  return rows;
}

FactRows control_flow_rows() {
  const std::string branches =
      "If<then_branch = t () => (float u) { u = Constant<value_float = 1.0>() }, else_branch = e "
      "() => (float v) { v = Constant<value_float = 2.0>() }>";
  const std::string loop =
      "Loop<body = b (int64 i, bool c, float[n] v) => (bool d, float[n] w) { d = Identity(c) w = "
      "Relu(v) "
      "}>";
  const std::string scan =
      "Scan<num_scan_inputs = 2, scan_input_axes = [0, 1], body = b (float[n] a, float[n] p, "
      "float[n] q) "
      "=> (float[n] t, float[n] e) { r = Add(p, q) t = Add(a, r) e = Relu(p) }>";
  FactRows rows;
  rows.add({
      {branches, "? -> ?", "bool[..] -> f32[]"},
      {loop, "? ? ?[2] -> f32[..]", "i64[..] bool[..] f32[2] -> f32[2]"},
      {scan, "? f32[?,3] ?[3,?] -> f32[3] ?[7,?]", "f32[3] f32[7,3] ?[3,7] -> f32[3] ?[7,?]"},
      {scan, "?[3] f32[?,3] f32[3,7] -> f32[?] ?", "f32[3] f32[7,3] f32[3,7] -> f32[3] f32[7,3]"},
  });
  return rows;
}

FactRows text_rows() {
  FactRows rows;
  rows.add({
      {"StringNormalizer", "? -> ?[?]", "string[?] -> string[?]"},
      {"StringSplit", "? -> ?[2,?] ?", "string[2] -> string[2,?] i64[2]"},
      {"StringSplit", "? -> ? ?[3,?]", "string[3,?] -> string[3,?,?] i64[3,?]"},
      {"TfIdfVectorizer<mode = \"TF\", min_gram_length = 1, max_gram_length = 1, max_skip_count = "
       "0, ngram_counts = [0], ngram_indexes = [0, 1], pool_strings = [\"a\", \"b\"]>",
       "?[?,?] -> ?[4,?]", "string[4,?] -> f32[4,2]"},
      {"ai.onnx.ml.LabelEncoder<keys_strings = [\"a\"], values_int64s = [1]>", "? -> ?[2,3]",
       "string[2,3] -> i64[2,3]"},
  });
  rows.add({{"ai.onnx.ml.CategoryMapper<cats_strings = [\"a\"], cats_int64s = [1]>",
             "? -> i64[2,3]", "string[2,3] -> i64[2,3]"}});
  return rows;
}

TEST_SUITE("facts flow backward") {
  TEST_CASE("into sequences and optionals") { check_facts(container_rows()); }
  TEST_CASE("into branches and loops") { check_facts(control_flow_rows()); }
  TEST_CASE("through ops on strings and labels") { check_facts(text_rows()); }
}

}  // namespace strata::testing
