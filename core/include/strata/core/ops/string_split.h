#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Cuts each string into pieces, padded with empty strings to the greatest number of pieces.
///
///   input    data             strings[..]
///   outputs  pieces           strings[.., n]
///            counts           i64[..]: the pieces of each string
///   source   ONNX StringSplit-20
///
///   (C1) data are strings
struct StringSplit {
  static constexpr std::string_view name = "StringSplit";
  std::string delimiter;                 ///< empty: runs of white space, none at either end
  std::optional<std::int64_t> max_cuts;  ///< cuts made from the left; absent: all

  static constexpr auto attributes() {
    return std::tuple{attr("delimiter", &StringSplit::delimiter),
                      attr("max_cuts", &StringSplit::max_cuts)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<StringSplit>);

}  // namespace strata
