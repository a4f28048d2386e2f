#pragma once

#include "strata/hir/inference_op.h"

/// Maps are two wires: keys K[n] and values V[n]; a sequence of maps with the same keys has values
/// V[N, n].
namespace strata::hir {

/// ONNX ai.onnx.ml ZipMap: the keys, and each row of the input as their values.
struct ZipMap {
  static constexpr std::string_view name = "ZipMap";
  Tensor keys;

  static constexpr auto attributes() { return std::tuple{attr("keys", &ZipMap::keys)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<ZipMap>);

/// ONNX ai.onnx.ml DictVectorizer: for each word of the vocabulary the value of that key, else 0 or
/// an empty text; a key that is not one of the words is an error.
struct DictVectorizer {
  static constexpr std::string_view name = "DictVectorizer";
  Tensor vocabulary;

  static constexpr auto attributes() {
    return std::tuple{attr("vocabulary", &DictVectorizer::vocabulary)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<DictVectorizer>);

enum class MapForm : std::uint8_t { dense, sparse };

constexpr auto enumerators(MapForm) {
  return std::to_array<std::pair<MapForm, std::string_view>>(
      {{MapForm::dense, "DENSE"}, {MapForm::sparse, "SPARSE"}});
}

/// ONNX ai.onnx.ml CastMap: the values as one row, ordered by key, or each at the place its key
/// gives, with 0 or an empty text elsewhere.
struct CastMap {
  static constexpr std::string_view name = "CastMap";
  DatumType to = DatumType::f32;
  MapForm form = MapForm::dense;
  std::int64_t length = 1;  ///< of a sparse row

  static constexpr auto attributes() {
    return std::tuple{attr("to", &CastMap::to), attr("form", &CastMap::form),
                      attr("length", &CastMap::length)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<CastMap>);

}  // namespace strata::hir
