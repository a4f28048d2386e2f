#pragma once

#include <optional>

#include "strata/core/typed_op.h"

namespace strata {

/// The sizes of a tensor's axes [start, end), known before the run as far as the shape is.
///
///   input    a tensor      T[d_0, .., d_r-1]
///   output   a vector      i64[n], the dims from start to end, both clamped to [0, r]
///   source   ONNX Shape-15; tract_core_shape_of
///
///   (C1) one tensor
struct ShapeOf {
  static constexpr std::string_view name = "ShapeOf";
  std::int64_t start = 0;           ///< negative counts from the end
  std::optional<std::int64_t> end;  ///< likewise; absent: the rank

  static constexpr auto attributes() {
    return std::tuple{attr("start", &ShapeOf::start), attr("end", &ShapeOf::end)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<ShapeOf>);

}  // namespace strata
