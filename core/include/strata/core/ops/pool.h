#pragma once

#include "strata/core/ops/spatial.h"
#include "strata/core/patch.h"

namespace strata {

/// What a Pool makes of the elements under its window.
enum class PoolKind : std::uint8_t {
  max,      ///< the greatest; NaN if there is one
  average,  ///< their mean
  lp,       ///< the p-th root of the sum of |x|^p
};

constexpr std::array<std::pair<PoolKind, std::string_view>, 3> enumerators(PoolKind) {
  return {{{PoolKind::max, "max"}, {PoolKind::average, "average"}, {PoolKind::lp, "lp"}}};
}

/// Whether a max Pool also tells where each maximum lies, as an offset into the whole input.
enum class PoolIndices : std::uint8_t {
  none,
  row_major,
  column_major,  ///< along the spatial axes the first varies fastest
};

constexpr std::array<std::pair<PoolIndices, std::string_view>, 3> enumerators(PoolIndices) {
  return {{{PoolIndices::none, "none"},
           {PoolIndices::row_major, "row_major"},
           {PoolIndices::column_major, "column_major"}}};
}

/// The sizes of a pooling of `planes` = batch * channels planes.
struct PoolGeometry {
  std::int64_t planes = 1;
  std::vector<AxisWindow> axes;
};

/// Reduces each window over the spatial axes to one element.
///
///   input    x  T[N, C, D1, ..]
///   outputs  T[N, C, o1, ..]; with `indices` also i64[N, C, o1, ..], the first maximum of each
///            window
///   source   ONNX MaxPool-22, AveragePool-22, LpPool-22
///
/// Elements in the padding do not take part, but with `count_padding` an average divides by them as
/// well.
///
///   (C1) one input                            (C2) a real type; a float one unless max
///   (C3) rank = 2 + spatial axes of `kernel`
///   (C4) strides, dilations and pads fit the spatial axes
///   (C5) indices for max only
struct Pool {
  static constexpr std::string_view name = "Pool";
  PoolKind kind = PoolKind::max;
  Shape kernel;     ///< one per spatial axis
  Shape strides;    ///< one per spatial axis; empty for ones
  Shape dilations;  ///< one per spatial axis; empty for ones
  Padding padding;
  WindowRounding rounding = WindowRounding::floor;
  bool count_padding = false;
  double p = 2;  ///< of the kind lp
  PoolIndices indices = PoolIndices::none;

  static constexpr auto attributes() {
    return std::tuple{attr("kind", &Pool::kind),
                      attr("kernel", &Pool::kernel),
                      attr("strides", &Pool::strides),
                      attr("dilations", &Pool::dilations),
                      attr("padding", &Pool::padding),
                      attr("rounding", &Pool::rounding),
                      attr("count_padding", &Pool::count_padding),
                      attr("p", &Pool::p),
                      attr("indices", &Pool::indices)};
  }

  WindowSpec window() const { return {strides, dilations, padding, rounding}; }
  /// The sizes for this shape. Throws: run_time when the window does not fit.
  PoolGeometry geometry(const Shape& x) const;

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
  Cost cost(Facts in, Facts out) const;
};
static_assert(OpDef<Pool>);

}  // namespace strata
