#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Whether each string as a whole matches a regular expression.
///
///   input    data             strings[..]
///   output   bool[..]
///   source   ONNX RegexFullMatch-20
///
/// Bytes that are not UTF-8 match no character. A program without regular expressions
/// (optional_libraries.h) fails with `unsupported` when it runs, and does not check the pattern.
///
///   (C1) data are strings     (C2) the pattern is a regular expression
struct RegexFullMatch {
  static constexpr std::string_view name = "RegexFullMatch";
  std::string pattern;  ///< in RE2's syntax

  static constexpr auto attributes() {
    return std::tuple{attr("pattern", &RegexFullMatch::pattern)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<RegexFullMatch>);

}  // namespace strata
