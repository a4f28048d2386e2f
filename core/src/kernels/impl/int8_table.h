#pragma once

#include "kernels/impl/int8_conv.h"
#include "kernels/impl/int8_product.h"
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#include "kernels/impl/int8_planes.h"
#else
#include "kernels/impl/int8_pairs.h"
#endif
#if defined(__AVX2__)
#include "kernels/impl/int8_rounded.h"
#endif
#include "kernels/impl/int8_winograd.h"

namespace strata::kernels {
namespace {

/// Convolutions by each method.
Index weights_size(const ConvShape& s) noexcept {
  if (by_planes(s)) return planes_weights_size(s);
  return by_winograd(s) ? winograd_weights_size(s) : int8_weights_size(s);
}
void pack_weights(const ConvShape& s, const void* weights, ByteKind kind, Word* packed) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(weights);
  if (by_planes(s)) return pack_plane_weights(s, bytes, left_flip(kind), packed);
  by_winograd(s) ? pack_winograd(s, bytes, left_flip(kind), packed)
                 : int8_pack_weights(s, bytes, left_flip(kind), packed);
}
Index image_size(const ConvShape& s) noexcept {
  if (by_planes(s)) return planes_image_size(s);
  return by_winograd(s) ? winograd_image_size(s) : int8_image_size(s);
}
Index image_planes(const ConvShape& s) noexcept {
  if (by_planes(s)) return 1;
  return by_winograd(s) ? tile_layout(s).steps : int8_image_planes(s);
}
void prepare_image(const Int8Image& image, Range planes, Word* prepared) noexcept {
  if (by_planes(image.shape)) return planes.end > 0 ? prepare_planes(image, prepared) : void();
  by_winograd(image.shape) ? prepare_winograd(image, planes, prepared)
                           : int8_prepare_image(image, planes, prepared);
}
Index image_steps(const ConvShape& s) noexcept {
  if (by_planes(s)) return plane_offset_count(s);
  return by_winograd(s) ? 0 : int8_image_steps(s);
}
void image_offsets(const ConvShape& s, Index* offsets) noexcept {
  if (by_planes(s)) return plane_offsets(s, offsets);
  if (!by_winograd(s)) int8_image_offsets(s, offsets);
}
Index groups_at_once(const ConvShape& s) noexcept { return by_planes(s) ? planes_at_once(s) : 1; }
Index row_step(Index m, Index) noexcept { return int8_row_step(m); }
Index channel_step(const ConvShape& s) noexcept { return panel_rows(s.out_channels); }
Index conv_parts(const ConvShape& s) noexcept {
  if (by_planes(s)) return 1;
  return by_winograd(s) ? winograd_parts(s) : int8_conv_parts(s);
}
Index parts_at_once(const ConvShape& s) noexcept {
  return by_winograd(s) ? winograd_parts_at_once(s) : conv_parts(s);
}
void convolve(const Int8Conv& conv, Range channels, Range parts) noexcept {
  if (by_planes(conv.shape)) return convolve_planes(conv, channels);
  by_winograd(conv.shape) ? convolve_winograd(conv, channels, parts)
                          : int8_convolve<VectorSums>(conv, channels, parts);
}

#if defined(__AVX2__)
constexpr const RoundedProducts* kRounded = &kRoundedProducts;
#else
constexpr const RoundedProducts* kRounded = nullptr;
#endif

constexpr Int8Kernels make_int8_kernels(const char* name) {
  return {
      .name = name,
      .row_step = row_step,
      .column_step = kPanel,
      .left_size = int8_left_size,
      .right_size = int8_right_size,
      .pack_left = int8_pack_left,
      .pack_right = int8_pack_right,
      .column_sums = int8_column_sums,
      .multiply_scratch = int8_multiply_scratch,
      .multiply = int8_multiply,
      .row_sums = int8_row_sums,
      .weights_size = weights_size,
      .pack_weights = pack_weights,
      .image_size = image_size,
      .image_planes = image_planes,
      .prepare_image = prepare_image,
      .image_steps = image_steps,
      .image_offsets = image_offsets,
      .groups_at_once = groups_at_once,
      .channel_step = channel_step,
      .conv_parts = conv_parts,
      .parts_at_once = parts_at_once,
      .by_planes = by_planes,
      .by_winograd = by_winograd,
      .convolve = convolve,
      .rounded = kRounded,
  };
}

}  // namespace
}  // namespace strata::kernels
