#pragma once

#include "kernels/impl/arg_reduce.h"
#include "kernels/impl/attention.h"
#include "kernels/impl/binary.h"
#include "kernels/impl/blocked_conv.h"
#include "kernels/impl/blocked_pool.h"
#include "kernels/impl/byte_sum.h"
#include "kernels/impl/cells.h"
#include "kernels/impl/compare.h"
#include "kernels/impl/conv.h"
#include "kernels/impl/cumulate.h"
#include "kernels/impl/deconv.h"
#include "kernels/impl/gemm.h"
#include "kernels/impl/gemm_doubles.h"
#include "kernels/impl/look_up.h"
#include "kernels/impl/lrn.h"
#include "kernels/impl/multiply_add.h"
#include "kernels/impl/peak.h"
#include "kernels/impl/pick_blocks.h"
#include "kernels/impl/pool.h"
#include "kernels/impl/quantize.h"
#include "kernels/impl/reduce.h"
#include "kernels/impl/resize.h"
#include "kernels/impl/rows.h"
#include "kernels/impl/select.h"
#include "kernels/impl/softmax.h"
#include "kernels/impl/top_k.h"
#include "kernels/impl/unary.h"
#include "kernels/table.h"

namespace strata::kernels {
namespace {

constexpr KernelTable make_table() {
  return {
      .lanes = kLanes,
      .packed_a_size = packed_a_size,
      .packed_b_size = packed_b_size,
      .pack_a = pack_a,
      .pack_b = pack_b,
      .gemm_plan = gemm_plan,
      .gemm_scratch = gemm_scratch,
      .gemm_row_step = gemm_row_step,
      .gemm_column_step = gemm_column_step,
      .gemm = gemm,
      .gemm_doubles_scratch = gemm_doubles_scratch,
      .gemm_doubles = gemm_doubles,
      .conv_weights_size = conv_weights_size,
      .pack_conv_weights = pack_conv_weights,
      .conv_way = conv_way,
      .conv_scratch = conv_scratch,
      .conv_tasks = conv_tasks,
      .conv = conv,
      .deconv_weights_size = deconv_weights_size,
      .pack_deconv_weights = pack_deconv_weights,
      .deconv_scratch = deconv_scratch,
      .deconv_tasks = deconv_tasks,
      .deconv = deconv,
      .blocked_weights_size = blocked_weights_size,
      .pack_blocked_weights = pack_blocked_weights,
      .blocked_scratch = blocked_scratch,
      .blocked_tasks = blocked_tasks,
      .blocked_conv = blocked_conv,
      .blocked_pool = blocked_pool,
      .pick_blocks = pick_blocks,
      .pool = pool,
      .unary = unary,
      .binary = binary,
      .multiply_add = multiply_add,
      .compare_i64 = kWideComparisons<std::int64_t>,
      .compare_f64 = kWideComparisons<double>,
      .select = select,
      .look_up = look_up,
      .softmax = softmax,
      .softmax_columns = softmax_columns,
      .reduce = reduce,
      .reduce_columns = reduce_columns,
      .arg_reduce = arg_reduce,
      .turns_rows = turns_rows,
      .cumulate = cumulate,
      .top_k_scratch = top_k_scratch,
      .top_k = top_k,
      .layer_norm = layer_norm,
      .widen_floats = widen_floats,
      .narrow_floats = narrow_floats,
      .truncate_floats = truncate_floats,
      .quantize = quantize,
      .add_bytes = add_bytes,
      .dequantize = dequantize,
      .lrn = lrn,
      .resize_scratch = resize_scratch,
      .resize = resize,
      .attends_one_by_one = attends_one_by_one,
      .attention_scratch = attention_scratch,
      .attention = attention,
      .lstm_cell = lstm_cell,
      .gru_cell = gru_cell,
      .gru_reset = gru_reset,
      .peak_multiply_adds = peak_multiply_adds,
      .peak_read = peak_read,
  };
}

}  // namespace
}  // namespace strata::kernels
