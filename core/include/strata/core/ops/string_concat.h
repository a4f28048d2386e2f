#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Joins the strings of two tensors, element by element, with broadcasting.
///
///   inputs   a, b             strings that broadcast
///   output   strings
///   source   ONNX StringConcat-20
///
///   (C1) both are strings     (C2) the shapes broadcast
struct StringConcat {
  static constexpr std::string_view name = "StringConcat";

  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<StringConcat>);

}  // namespace strata
