#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Whether an update that passes the end of the axis goes on at its start.
enum class ScatterWrap { linear, circular };
constexpr auto enumerators(ScatterWrap) {
  using enum ScatterWrap;
  return std::array<std::pair<ScatterWrap, std::string_view>, 2>{
      {{linear, "linear"}, {circular, "circular"}}};
}

/// A cache whose slices along one axis are overwritten by an update, for each batch from a place of
/// its own.
///
///   inputs   cache              T[batch, .., d, ..]
///            update             T[batch, .., n, ..], n <= d
///            starts, optional   integers[batch]; absent: 0
///   output   T of the cache's shape
///   source   ONNX TensorScatter-24
///
///   (C1) update of the cache's type and rank, equal dims off the axis
///   (C2) axis within the rank and not the batch
///   (C3) one start a batch, integers     (C4) linear: the update stays within the axis
struct TensorScatter {
  static constexpr std::string_view name = "TensorScatter";
  static constexpr bool moves_elements = true;
  std::int64_t axis = -2;  ///< negative counts from the end
  ScatterWrap wrap = ScatterWrap::linear;

  static constexpr auto attributes() {
    return std::tuple{attr("axis", &TensorScatter::axis), attr("wrap", &TensorScatter::wrap)};
  }
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<TensorScatter>);

}  // namespace strata
