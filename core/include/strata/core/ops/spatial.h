#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/attributes.h"
#include "strata/core/dim.h"

/// What convolutions and poolings share: how a window slides over the spatial axes of [N, C, D1,
/// D2, ..].
namespace strata {

/// How far the input reaches beyond its edges. As an attribute: a list of amounts, or the name of a
/// kind.
struct Padding {
  enum class Kind : std::uint8_t {
    fixed,       ///< by `amounts`
    same_upper,  ///< so that output = ceil(input / stride); the odd one goes to the end
    same_lower,  ///< likewise; the odd one goes to the beginning
    valid,       ///< not at all
  };

  Kind kind = Kind::fixed;
  Shape amounts;  ///< all begins, then all ends; empty for none

  bool operator==(const Padding&) const = default;
};

constexpr std::array<std::pair<Padding::Kind, std::string_view>, 4> enumerators(Padding::Kind) {
  return {{{Padding::Kind::fixed, "fixed"},
           {Padding::Kind::same_upper, "same_upper"},
           {Padding::Kind::same_lower, "same_lower"},
           {Padding::Kind::valid, "valid"}}};
}

AttrValue to_attr(const Padding& padding);
void from_attr(const AttrValue& value, Padding& padding);

/// What becomes of a last window that lies only partly in the input.
enum class WindowRounding : std::uint8_t {
  floor,  ///< it is dropped
  ceil,   ///< it is kept if it begins before the padding at the end
};

constexpr std::array<std::pair<WindowRounding, std::string_view>, 2> enumerators(WindowRounding) {
  return {{{WindowRounding::floor, "floor"}, {WindowRounding::ceil, "ceil"}}};
}

/// A window along one axis: tap t of output o reads input o * stride + t * dilation - before.
struct AxisWindow {
  std::int64_t in = 1;
  std::int64_t kernel = 1;
  std::int64_t out = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;  ///< padding at the beginning
  std::int64_t after = 0;   ///< padding at the end
};

/// The sliding of a window over all spatial axes; empty lists stand for ones.
struct WindowSpec {
  Shape strides;
  Shape dilations;
  Padding padding;
  WindowRounding rounding = WindowRounding::floor;

  std::int64_t stride(std::size_t axis) const { return strides.empty() ? 1 : strides[axis]; }
  std::int64_t dilation(std::size_t axis) const { return dilations.empty() ? 1 : dilations[axis]; }
  /// Throws: invalid_model, tagged `tag`, when a list does not fit `axes` axes or a number is out
  /// of its range.
  void check_axes(std::string_view tag, std::size_t axes) const;
  /// The output sizes.
  /// floor: floor((in + before + after - dilation * (kernel - 1) - 1) / stride) + 1
  std::vector<Dim> output_dims(std::span<const Dim> in, std::span<const Dim> kernel) const;
  /// The whole geometry. Throws: run_time when a window does not fit into the input.
  std::vector<AxisWindow> axes(std::span<const std::int64_t> in,
                               std::span<const std::int64_t> kernel) const;
};

/// The padding before and after that `total` splits into; the larger half at the end for
/// same_upper, at the beginning otherwise.
std::pair<Dim, Dim> split_padding(const Dim& total, Padding::Kind kind);

/// Outputs of all axes.
Shape output_sizes(std::span<const AxisWindow> axes);

/// For each tap of the kernel (slowest) and each output from `begin` to `end`, both row-major: the
/// offset of the input element it reads within its plane, or -1 in the padding.
std::vector<std::int64_t> tap_offsets(std::span<const AxisWindow> axes, std::int64_t begin,
                                      std::int64_t end);

}  // namespace strata
