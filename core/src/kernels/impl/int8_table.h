#pragma once

#include "kernels/impl/int8_conv.h"
#include "kernels/impl/int8_product.h"

namespace strata::kernels {
namespace {

constexpr Int8Kernels make_int8_kernels(const char* name) {
  return {
      .name = name,
      .row_step = int8_row_step,
      .column_step = kPanel,
      .left_size = int8_left_size,
      .right_size = int8_right_size,
      .pack_left = int8_pack_left,
      .pack_right = int8_pack_right,
      .column_sums = int8_column_sums,
      .multiply = int8_multiply,
      .weights_size = int8_weights_size,
      .pack_weights = int8_pack_weights,
      .image_size = int8_image_size,
      .image_planes = int8_image_planes,
      .prepare_image = int8_prepare_image,
      .image_steps = int8_image_steps,
      .image_offsets = int8_image_offsets,
      .conv_parts = int8_conv_parts,
      .convolve = int8_convolve,
  };
}

}  // namespace
}  // namespace strata::kernels
