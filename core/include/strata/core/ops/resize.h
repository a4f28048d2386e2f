#pragma once

#include <array>

#include "strata/core/typed_op.h"

namespace strata {

/// How a Resize computes an output from the inputs around its place.
enum class ResizeMode : std::uint8_t { nearest, linear, cubic };

constexpr auto enumerators(ResizeMode) {
  using enum ResizeMode;
  return std::to_array<std::pair<ResizeMode, std::string_view>>(
      {{nearest, "nearest"}, {linear, "linear"}, {cubic, "cubic"}});
}

/// Where along the input axis output o lies; the names and equations are those of ONNX.
enum class ResizeCoordinates : std::uint8_t {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn,  ///< as in ONNX Resize-11 alone
};

constexpr auto enumerators(ResizeCoordinates) {
  using enum ResizeCoordinates;
  return std::to_array<std::pair<ResizeCoordinates, std::string_view>>(
      {{half_pixel, "half_pixel"},
       {half_pixel_symmetric, "half_pixel_symmetric"},
       {pytorch_half_pixel, "pytorch_half_pixel"},
       {align_corners, "align_corners"},
       {asymmetric, "asymmetric"},
       {tf_crop_and_resize, "tf_crop_and_resize"},
       {tf_half_pixel_for_nn, "tf_half_pixel_for_nn"}});
}

/// Which neighbour is the nearest.
enum class NearestMode : std::uint8_t {
  round_prefer_floor,
  round_prefer_ceil,
  floor,
  ceil,
  floor_or_ceil,  ///< floor on an axis that grows, ceil on one that shrinks
};

constexpr auto enumerators(NearestMode) {
  using enum NearestMode;
  return std::to_array<std::pair<NearestMode, std::string_view>>(
      {{round_prefer_floor, "round_prefer_floor"},
       {round_prefer_ceil, "round_prefer_ceil"},
       {floor, "floor"},
       {ceil, "ceil"},
       {floor_or_ceil, "floor_or_ceil"}});
}

/// What to do about sizes that would change the aspect ratio.
enum class AspectRatio : std::uint8_t {
  stretch,      ///< they are the output's all the same
  not_larger,   ///< the least of the scales applies to all axes
  not_smaller,  ///< the greatest of the scales applies to all axes
};

constexpr auto enumerators(AspectRatio) {
  using enum AspectRatio;
  return std::to_array<std::pair<AspectRatio, std::string_view>>(
      {{stretch, "stretch"}, {not_larger, "not_larger"}, {not_smaller, "not_smaller"}});
}

/// Samples a tensor on a coarser or finer grid.
///
///   inputs   x        T[..]
///            target   f32[n] scales or i64[n] sizes, one for each of `axes`
///            roi      float[2n], all starts, then all ends, of the wanted part of the input, in
///                     its units (may be missing; only read for tf_crop_and_resize)
///   output   T[..], of size floor(in * scale), or as the sizes and `aspect_ratio` say
///   source   ONNX Resize-19
///
/// Axes are resized one after the other. Neighbours outside the input are those at its edge, or
/// left out with `exclude_outside`. Weights and sums are computed in double; integers are rounded
/// and clamped to their type.
///
///   (C1) two or three inputs                  (C2) a real element type unless nearest
///   (C3) axes within the rank, none twice
///   (C4) the target is a vector of floats or i64, as long as `axes`
///   (C5) scales above 0, sizes not negative   (C6) a roi of 2n numbers for tf_crop_and_resize
struct Resize {
  static constexpr std::string_view name = "Resize";
  static constexpr bool moves_elements = true;
  ResizeMode mode = ResizeMode::nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::half_pixel;
  NearestMode nearest = NearestMode::round_prefer_floor;
  double cubic_a = -0.75;  ///< the coefficient of the cubic kernel
  bool exclude_outside = false;
  double extrapolation = 0;   ///< what tf_crop_and_resize puts outside the input
  bool antialias = false;     ///< widen the kernel on an axis that shrinks
  std::optional<Shape> axes;  ///< absent: all
  AspectRatio aspect_ratio = AspectRatio::stretch;

  static constexpr auto attributes() {
    return std::tuple{attr("mode", &Resize::mode),
                      attr("coordinates", &Resize::coordinates),
                      attr("nearest", &Resize::nearest),
                      attr("cubic_a", &Resize::cubic_a),
                      attr("exclude_outside", &Resize::exclude_outside),
                      attr("extrapolation", &Resize::extrapolation),
                      attr("antialias", &Resize::antialias),
                      attr("axes", &Resize::axes),
                      attr("aspect_ratio", &Resize::aspect_ratio)};
  }

  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
};
static_assert(OpDef<Resize>);

}  // namespace strata
