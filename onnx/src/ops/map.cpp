#include "strata/hir/ops/map.h"

#include "ops/all.h"
#include "ops/ml_attributes.h"

namespace strata::onnx {
namespace {

/// The keys in the one of two attributes that is there.
Tensor keys_of(NodeArgs& node, std::string_view integers, std::string_view texts) {
  const Tensor keys = class_labels(node, integers, texts);
  check(keys.size() > 0, "neither ", integers, " nor ", texts, " gives keys");
  return keys;
}

hir::InferenceOp parse_zip_map(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::ZipMap{keys_of(node, "classlabels_int64s", "classlabels_strings")};
}

hir::InferenceOp parse_dict_vectorizer(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::DictVectorizer{keys_of(node, "int64_vocabulary", "string_vocabulary")};
}

DatumType cast_target(const std::string& text) {
  if (text == "TO_FLOAT") return DatumType::f32;
  if (text == "TO_STRING") return DatumType::string;
  if (text == "TO_INT64") return DatumType::i64;
  fail(ErrorKind::invalid_model, "the attribute \"cast_to\" is ", in_quotes(text));
}

hir::InferenceOp parse_cast_map(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const hir::CastMap op{cast_target(node.text("cast_to", "TO_FLOAT")),
                        named(node, "map_form", hir::MapForm::dense), node.integer("max_map", 1)};
  check(op.length >= 1, "max_map is ", op.length);
  return op;
}

}  // namespace

void register_map(Registry& r) {
  r.add_to(kMl, "CastMap", {1}, parse_cast_map);
  r.add_to(kMl, "DictVectorizer", {1}, parse_dict_vectorizer);
  r.add_to(kMl, "ZipMap", {1}, parse_zip_map);
}

}  // namespace strata::onnx
