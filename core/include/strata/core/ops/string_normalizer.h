#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// What becomes of the case of letters.
enum class StringCase { keep, lower, upper };
constexpr auto enumerators(StringCase) {
  using enum StringCase;
  return std::array<std::pair<StringCase, std::string_view>, 3>{
      {{keep, "keep"}, {lower, "lower"}, {upper, "upper"}}};
}

/// How strings are compared with stop words.
enum class StopWordMatch { exact, ignoring_case };
constexpr auto enumerators(StopWordMatch) {
  using enum StopWordMatch;
  return std::array<std::pair<StopWordMatch, std::string_view>, 2>{
      {{exact, "exact"}, {ignoring_case, "ignoring_case"}}};
}

/// Takes out stop words and changes the case of the strings that stay.
///
///   input    data             strings[n] or [1, n]
///   output   strings[m] or [1, m]; one empty string when none stays
///   source   ONNX StringNormalizer-10
///
/// Letters change by Unicode's full mappings that hold in all languages: a sharp s becomes SS.
/// Where case does not matter, words match when `change` makes them equal, or lower case does where
/// `change` is keep. A program without Unicode's letters (optional_libraries.h) knows only
/// ASCII's, and fails with `unsupported` when it meets others in a run.
///
///   (C1) data are strings of shape [n] or [1, n]
///   (C2) strings whose case is changed or does not matter are UTF-8
struct StringNormalizer {
  static constexpr std::string_view name = "StringNormalizer";
  StringCase change = StringCase::keep;
  StopWordMatch match = StopWordMatch::ignoring_case;
  std::vector<std::string> stop_words;

  static constexpr auto attributes() {
    return std::tuple{attr("change", &StringNormalizer::change),
                      attr("match", &StringNormalizer::match),
                      attr("stop_words", &StringNormalizer::stop_words)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<StringNormalizer>);

}  // namespace strata
