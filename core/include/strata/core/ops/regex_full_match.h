#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Whether each string as a whole matches a regular expression.
///
///   input    data             strings[..]
///   output   bool[..]
///   source   ONNX RegexFullMatch-20
///
///   (C1) data are strings     (C2) the pattern is a regular expression
///   (C3) no string is longer than the limit of the matcher
struct RegexFullMatch {
  static constexpr std::string_view name = "RegexFullMatch";
  std::string pattern;  ///< ECMAScript syntax, which agrees with RE2's but for its rarer parts

  static constexpr auto attributes() {
    return std::tuple{attr("pattern", &RegexFullMatch::pattern)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<RegexFullMatch>);

}  // namespace strata
