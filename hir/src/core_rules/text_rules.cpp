#include "core_rules.h"
#include "strata/core/ops/label_encoder.h"
#include "strata/core/ops/tf_idf.h"

namespace strata::hir {
namespace {

void string_test(Rules& r, const CoreOp&) {
  require_same_shape(r);
  r.require(data_of(r).dtype == DatumType::string);
  r.require(out_of(r).dtype == DatumType::boolean);
}

void string_concat(Rules& r, const CoreOp&) {
  for (const auto& port : {data_of(r), r.input(1, "Y"), out_of(r)})
    r.require(port.dtype == DatumType::string);
}

void string_normalizer(Rules& r, const CoreOp& core) {
  same_rank(r, core);
  r.require(data_of(r).dtype == DatumType::string);
}

void string_split(Rules& r, const CoreOp&) {
  const auto texts = data_of(r), pieces = out_of(r);
  r.require(texts.dtype == DatumType::string);
  r.require(pieces.dtype == DatumType::string);
  r.require(pieces.rank == texts.rank + 1);
  const std::int64_t rank = texts.rank.known().value_or(0);
  for (std::int64_t i = 0; i < rank; ++i) r.require(pieces.shape[i] == texts.shape[i]);
  if (r.output_count() < 2) return;
  r.require(r.output(1, "counts").dtype == DatumType::i64);
  r.require(r.output(1, "counts").shape == texts.shape);
}

void tf_idf(Rules& r, const CoreOp& core) {
  const auto words = data_of(r), features = out_of(r);
  r.require(features.dtype == DatumType::f32);
  r.require(features.rank == words.rank);
  if (core.op.as<TfIdf>()->pool.dtype() == DatumType::string)
    r.require(words.dtype == DatumType::string);
  if (words.rank.known() == 2) r.require(features.shape[0] == words.shape[0]);
}

void label_encoder(Rules& r, const CoreOp& core) {
  const auto& op = *core.op.as<LabelEncoder>();
  require_same_shape(r);
  r.require(data_of(r).dtype == op.keys.dtype());
  r.require(out_of(r).dtype == op.values.dtype());
}

constexpr CoreRules kRows[] = {
    {"LabelEncoder", label_encoder}, {"RegexFullMatch", string_test},
    {"StringConcat", string_concat}, {"StringNormalizer", string_normalizer},
    {"StringSplit", string_split},   {"TfIdf", tf_idf},
};

}  // namespace

std::span<const CoreRules> text_rules() { return kRows; }

}  // namespace strata::hir
