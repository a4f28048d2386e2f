#pragma once

#include "kernels/impl/int8_conv.h"
#include "kernels/impl/int8_product.h"
#if defined(__AVX512VNNI__)
#include "kernels/impl/int8_lanes.h"
#elif defined(__AVXVNNI__)
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

/// By whichever form this table has.
constexpr Int8ConvMethod kPlanes{.way = ByteConvWay::planes,
                                 .weights_size = planes_weights_size,
                                 .pack_weights = pack_plane_weights,
                                 .image_size = planes_image_size,
                                 .image_planes = only_one,
                                 .prepare_image = prepare_planes,
                                 .image_steps = plane_offset_count,
                                 .image_offsets = plane_offsets,
                                 .groups_at_once = planes_at_once,
                                 .channel_step = int8_channel_step,
                                 .parts = only_one,
                                 .parts_at_once = only_one,
                                 .convolve = convolve_planes};
#if defined(__AVX512VNNI__)
constexpr Int8ConvMethod kByPlanes = with_lanes(kPlanes);
#else
constexpr const Int8ConvMethod& kByPlanes = kPlanes;
#endif

/// `Product` is how it goes as a product.
template <const Int8ConvMethod& Product>
const Int8ConvMethod& conv_method(const ConvShape& s) noexcept {
  if (by_planes(s)) return kByPlanes;
  return by_winograd(s) ? kByWinograd : Product;
}

#if defined(__AVX2__)
constexpr const RoundedProducts* kRounded = &kRoundedProducts;
#else
constexpr const RoundedProducts* kRounded = nullptr;
#endif

template <const Int8ConvMethod& Product = kByProduct>
constexpr Int8Kernels make_int8_kernels(const char* name) {
  Int8Kernels out{make_int8_products(name)};
  out.row_sums = int8_row_sums;
  out.conv_method = conv_method<Product>;
  out.rounded = kRounded;
  return out;
}

}  // namespace
}  // namespace strata::kernels
