#pragma once

#include "kernels/impl/binary.h"
#include "kernels/impl/blocked_conv.h"
#include "kernels/impl/blocked_pool.h"
#include "kernels/impl/cells.h"
#include "kernels/impl/conv.h"
#include "kernels/impl/gemm.h"
#include "kernels/impl/pool.h"
#include "kernels/impl/rows.h"
#include "kernels/impl/unary.h"
#include "kernels/table.h"

namespace strata::kernels {
namespace {

constexpr KernelTable make_table() {
  return {
      .packed_a_size = packed_a_size,
      .packed_b_size = packed_b_size,
      .pack_a = pack_a,
      .pack_b = pack_b,
      .gemm_scratch = gemm_scratch,
      .gemm_row_step = gemm_row_step,
      .gemm_column_step = gemm_column_step,
      .gemm = gemm,
      .conv_weights_size = conv_weights_size,
      .pack_conv_weights = pack_conv_weights,
      .conv_scratch = conv_scratch,
      .conv_tasks = conv_tasks,
      .conv = conv,
      .blocked_weights_size = blocked_weights_size,
      .pack_blocked_weights = pack_blocked_weights,
      .blocked_scratch = blocked_scratch,
      .blocked_tasks = blocked_tasks,
      .blocked_conv = blocked_conv,
      .blocked_pool = blocked_pool,
      .pool = pool,
      .unary = unary,
      .binary = binary,
      .softmax = softmax,
      .reduce = reduce,
      .layer_norm = layer_norm,
      .lstm_cell = lstm_cell,
      .gru_cell = gru_cell,
      .gru_reset = gru_reset,
  };
}

}  // namespace
}  // namespace strata::kernels
