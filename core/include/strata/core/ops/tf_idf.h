#pragma once

#include "strata/core/lazy.h"
#include "strata/core/typed_op.h"

namespace strata {

/// What a feature is: the count, the weight where the count is not 0, or the count times the
/// weight.
enum class TfIdfMode { tf, idf, tfidf };
constexpr auto enumerators(TfIdfMode) {
  using enum TfIdfMode;
  return std::array<std::pair<TfIdfMode, std::string_view>, 3>{
      {{tf, "tf"}, {idf, "idf"}, {tfidf, "tfidf"}}};
}

/// Counts the n-grams of a pool in each row, and weighs the counts.
///
///   input    data             strings, i32 or i64 [c] or [batch, c]
///   output   f32[features] or [batch, features]
///   source   ONNX TfIdfVectorizer-9
///
///   (C1) data have rank 1 or 2 and the type of the pool
///   (C2) one index, and one weight if there are any, an n-gram
///   (C3) starts of the n-grams of each length rise within the pool     (C4) 1 <= least <= greatest
struct TfIdf {
  static constexpr std::string_view name = "TfIdf";
  TfIdfMode mode = TfIdfMode::tf;
  std::int64_t least = 1;             ///< words in the shortest n-gram
  std::int64_t greatest = 1;          ///< words in the longest n-gram
  std::int64_t skips = 0;             ///< the most words left out between two words of an n-gram
  std::vector<std::int64_t> starts;   ///< where in the pool the n-grams of each length begin
  std::vector<std::int64_t> indices;  ///< the feature of each n-gram
  std::vector<float> weights;         ///< of each n-gram; empty: 1
  Tensor pool;                        ///< words of the n-grams, shortest first: strings or i64
  struct Grams;
  Lazy<Grams> grams = {};  ///< made from the pool

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &TfIdf::mode),         attr("least", &TfIdf::least),
                      attr("greatest", &TfIdf::greatest), attr("skips", &TfIdf::skips),
                      attr("starts", &TfIdf::starts),     attr("indices", &TfIdf::indices),
                      attr("weights", &TfIdf::weights),   attr("pool", &TfIdf::pool)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<TfIdf>);

}  // namespace strata
