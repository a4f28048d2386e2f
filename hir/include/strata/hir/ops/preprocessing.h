#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// ONNX ai.onnx.ml Scaler: (x - offset) * scale, in f32.
struct Scaler {
  static constexpr std::string_view name = "Scaler";
  Tensor offset;  ///< f32[1], or one per feature
  Tensor scale;

  static constexpr auto attributes() {
    return std::tuple{attr("offset", &Scaler::offset), attr("scale", &Scaler::scale)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Scaler>);

/// ONNX ai.onnx.ml Imputer: elements that equal `replaced`, or are NaN if it is, become
/// `imputed`.
struct Imputer {
  static constexpr std::string_view name = "Imputer";
  Tensor imputed;   ///< f32 or i64, [1] or one per feature
  Tensor replaced;  ///< a scalar of its type

  static constexpr auto attributes() {
    return std::tuple{attr("imputed", &Imputer::imputed), attr("replaced", &Imputer::replaced)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Imputer>);

enum class NormType : std::uint8_t { max, l1, l2 };

constexpr auto enumerators(NormType) {
  using enum NormType;
  return std::to_array<std::pair<NormType, std::string_view>>(
      {{max, "MAX"}, {l1, "L1"}, {l2, "L2"}});
}

/// ONNX ai.onnx.ml Normalizer: each row divided by its greatest element, or by its norm; a row
/// whose divisor is 0 stays as it is.
struct Normalizer {
  static constexpr std::string_view name = "Normalizer";
  NormType norm = NormType::max;

  static constexpr auto attributes() { return std::tuple{attr("norm", &Normalizer::norm)}; }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Normalizer>);

/// What becomes of a value that is none of the categories.
enum class UnknownCategory : std::uint8_t { zeros, fails };

constexpr auto enumerators(UnknownCategory) {
  return std::to_array<std::pair<UnknownCategory, std::string_view>>(
      {{UnknownCategory::zeros, "zeros"}, {UnknownCategory::fails, "fails"}});
}

/// ONNX ai.onnx.ml OneHotEncoder: a last axis with 1 at the place of the value's category.
struct OneHotEncoder {
  static constexpr std::string_view name = "OneHotEncoder";
  Tensor categories;  ///< i64 or string; numbers are cast to i64
  UnknownCategory unknown = UnknownCategory::zeros;

  static constexpr auto attributes() {
    return std::tuple{attr("categories", &OneHotEncoder::categories),
                      attr("unknown", &OneHotEncoder::unknown)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<OneHotEncoder>);

/// ONNX ai.onnx.ml FeatureVectorizer: inputs as f32, each cut or padded with 0 to its number of
/// columns, side by side; a vector is one row.
struct FeatureVectorizer {
  static constexpr std::string_view name = "FeatureVectorizer";
  std::vector<std::int64_t> columns;

  static constexpr auto attributes() {
    return std::tuple{attr("columns", &FeatureVectorizer::columns)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<FeatureVectorizer>);

}  // namespace strata::hir
