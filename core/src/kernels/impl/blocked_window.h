#pragma once

#include "kernels/impl/blocked.h"

/// Windows over one block of channels, with channels as lanes: depthwise convolution, that of a few
/// channels per group, and pooling.
namespace strata::kernels {
namespace {

/// The taps that some outputs of a row read, all of which lie in the input.
struct TapArea {
  Range rows;
  Range columns;
  Index row_step;     ///< floats between rows of taps
  Index column_step;  ///< between taps of a row
  Index pixel_step;   ///< between outputs
  Index row_taps;     ///< taps of a row of the kernel
};

/// total[r] = op.step(total[r], x), where the x of R outputs are `step` apart.
template <int R, class Op>
inline void add_tap(const Op& op, const float* x, Index step, Index, Vf (&total)[R]) {
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) total[r] = op.step(total[r], load(x + r * step));
}

/// For an op that has weights, total[r] += weight * input for each channel of a group.
template <int R, class Op>
requires(Op::kMostNeighbours > 0) inline void add_tap(const Op& op, const float* x, Index step,
                                                      Index tap, Vf (&total)[R]) {
  for (Index channel = 0; channel < op.channels(); ++channel) {
    const Vf weight = op.weight(tap, channel);
    const auto lanes = op.lanes(channel);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) total[r] = fma(weight, op.input(x + r * step, lanes), total[r]);
  }
}

/// R outputs: op.finish of what `add_tap` makes of op.first. `first` is where tap (0, 0) of the
/// first output would be.
template <int R, class Op>
inline void window_pixels(const TapArea& a, const float* first, const Op& op, Index output) {
  Vf total[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) total[r] = op.first();
  for (Index y = a.rows.begin; y < a.rows.end; ++y) {
    const float* x = first + y * a.row_step + a.columns.begin * a.column_step;
    for (Index c = a.columns.begin; c < a.columns.end; ++c, x += a.column_step)
      add_tap(op, x, a.pixel_step, y * a.row_taps + c, total);
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) op.finish(total[r], output + r, a);
}

/// Up to R outputs of a row that read their Taps taps side by side: an input is read once for all
/// the outputs that it counts in, and a weight once for all outputs, for each channel of a group.
/// Of the inputs from `first` on, those count whose bits of `inside` are set.
template <int R, int Taps, class Op>
inline void neighbouring_pixels(const TapArea& a, const float* first, const Op& op, Range outputs,
                                unsigned inside) {
  Vf total[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) total[r] = op.first();
  for (Index y = a.rows.begin; y < a.rows.end; ++y) {
    const float* x = first + y * a.row_step;
    for (Index channel = 0; channel < op.channels(); ++channel) {
      const auto lanes = op.lanes(channel);
      Vf weights[Taps];
#pragma GCC unroll 8
      for (int c = 0; c < Taps; ++c) {
        weights[c] = op.weight(y * Taps + c, channel);
        keep_in_register(weights[c]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < R + Taps - 1; ++i) {
        if ((inside & 1U << i) == 0) continue;
        Vf v = op.input(x + i * kChannelBlock, lanes);
        keep_in_register(v);
#pragma GCC unroll 8
        for (int c = 0; c < Taps; ++c)
          if (const int r = i - c; r >= 0 && r < R) total[r] = fma(weights[c], v, total[r]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
    if (r < outputs.end - outputs.begin) op.finish(total[r], outputs.begin + r, a);
}

/// A row of outputs that read their Taps taps side by side, edges included; tap (0, 0) of the first
/// would be at `first`.
template <int Taps, class Op>
[[gnu::noinline]] void neighbouring_row(const Window& w, const TapArea& a, const float* first,
                                        const Op& op) {
  constexpr int kOutputs = 8, kInputs = kOutputs + Taps - 1;
  for (Index o = 0; o < w.out[2]; o += kOutputs, first += kOutputs * kChannelBlock) {
    const Range in = valid_outputs(o - w.pad[2], 1, w.in[2], kInputs);
    const unsigned inside = in.begin < in.end ? (1U << in.end) - (1U << in.begin) : 0;
    neighbouring_pixels<kOutputs, Taps>(a, first, op, {o, min_of(o + kOutputs, w.out[2])}, inside);
  }
}

/// The op as outputs that have the same taps as output `first` need it.
template <class Op>
inline const Op& op_of_run(const Op& op, [[maybe_unused]] Index first) {
  return op;
}

/// A row of outputs that have the same taps; tap (0, 0) of the first would be at `first`. Once in
/// the code for each op, as the edges of a row call it too.
template <class Op>
[[gnu::noinline]] void window_run(const TapArea& a, const float* first, const Op& op,
                                  Range outputs) {
  Index o = outputs.begin;
  for (; !kForSize && o + 8 <= outputs.end; o += 8, first += 8 * a.pixel_step)
    window_pixels<8>(a, first, op, o);
  for (; o + 4 <= outputs.end; o += 4, first += 4 * a.pixel_step) window_pixels<4>(a, first, op, o);
  for (; o < outputs.end; ++o, first += a.pixel_step) window_pixels<1>(a, first, op, o);
}

/// The outputs of a row all of whose taps lie inside.
inline Range whole_windows(const Window& w) {
  const Index last = (w.kernel[2] - 1) * w.dilation[2] - w.pad[2];
  const Range first_in = valid_outputs(-w.pad[2], w.stride[2], w.in[2], w.out[2]);
  const Range last_in = valid_outputs(last, w.stride[2], w.in[2], w.out[2]);
  const Index begin = first_in.begin > last_in.begin ? first_in.begin : last_in.begin;
  const Index end = min_of(first_in.end, last_in.end);
  return begin < end ? Range{begin, end} : Range{w.out[2], w.out[2]};
}

/// Output row `row` of one block whose input begins at `x`; both point to the lanes in question.
/// `whole` are the `whole_windows`.
template <class Op>
inline void window_row(const Window& w, Range whole, const float* x, Index row, const Op& op) {
  const Index iy = row * w.stride[1] - w.pad[1], in_row = w.in[2] * kChannelBlock;
  TapArea a{};
  a.rows = valid_outputs(iy, w.dilation[1], w.in[1], w.kernel[1]);
  a.row_step = w.dilation[1] * in_row;
  a.column_step = w.dilation[2] * kChannelBlock;
  a.pixel_step = w.stride[2] * kChannelBlock;
  a.row_taps = w.kernel[2];
  if constexpr (Op::kMostNeighbours > 0 && !kForSize) {
    const float* first = x + iy * in_row - w.pad[2] * kChannelBlock;
    const bool are_neighbours = w.stride[2] == 1 && w.dilation[2] == 1;
    if (are_neighbours && w.kernel[2] == 3) return neighbouring_row<3>(w, a, first, op);
    if constexpr (Op::kMostNeighbours > 3) {
      if (are_neighbours && w.kernel[2] == 5) return neighbouring_row<5>(w, a, first, op);
      if (are_neighbours && w.kernel[2] == 7) return neighbouring_row<7>(w, a, first, op);
    }
  }
  for (Index o = 0; o < w.out[2];) {
    const Range outputs{o, o == whole.begin ? whole.end : o + 1};
    const Index column = o * w.stride[2] - w.pad[2];
    a.columns = valid_outputs(column, w.dilation[2], w.in[2], w.kernel[2]);
    window_run(a, x + iy * in_row + column * kChannelBlock, op_of_run(op, o), outputs);
    o = outputs.end;
  }
}

/// Calls run(block, rows) for some of the rows of images of `blocks` blocks each. Blocks vary
/// fastest, so that threads take rows of all channels, as the convolutions before and after do, and
/// find them in their own caches; but not if there are few rows.
template <class Run>
inline void for_rows(const Window& w, Index blocks, Range tasks, const Run& run) {
  const Index rows = w.out[1], apart = shares_rows(w) ? blocks : 1;
  for (Index block = 0; block < apart; ++block) {
    const Index end = ceil_div(tasks.end - block, apart);
    for (Index line = ceil_div(tasks.begin - block, apart), next; line < end; line = next) {
      const Index image = line / rows, first = line - image * rows;
      next = min_of(line - first + rows, end);
      run(image * apart + block, Range{first, first + next - line});
    }
  }
}

/// sum(x * weight) + residual + bias, clipped.
struct DepthwiseOp {
  static constexpr int kMostNeighbours = 7;  ///< taps of rows whose neighbours share inputs
  const float* weights;
  Vf bias;
  const float* residual;  ///< or null
  float low;
  float high;
  float* y;

  static constexpr Index channels() { return 1; }
  static constexpr Index lanes(Index) { return 0; }
  Vf weight(Index tap, Index) const { return load(weights + tap * kChannelBlock); }
  static Vf input(const float* x, Index) { return load(x); }

  Vf first() const { return bias; }
  void finish(Vf total, Index output, const TapArea&) const {
    if (residual) total += load(residual + output * kChannelBlock);
    store(y + output * kChannelBlock, clip(total, low, high));
  }
};

/// The same over groups of `size` channels: each lane takes the inputs of its group, one after the
/// other.
struct GroupedOp : DepthwiseOp {
  static constexpr int kMostNeighbours = 3;
  Index size;

  Index channels() const { return size; }
  Vf weight(Index tap, Index channel) const { return DepthwiseOp::weight(tap * size + channel, 0); }
};

/// For groups that are part of a vector.
struct SmallGroupOp : GroupedOp {
  Vi first_lanes;  ///< of each lane's group

  Vi lanes(Index channel) const { return first_lanes + static_cast<std::int32_t>(channel); }
  static Vf input(const float* x, Vi lanes) { return permute(load(x), lanes); }
};

/// For groups that fill vectors, whose lanes take the same.
struct FullGroupOp : GroupedOp {
  Index before;  ///< channels of its group before the first lane

  Index lanes(Index channel) const { return channel - before; }
  static Vf input(const float* x, Index lane) { return broadcast(x[lane]); }
};

/// Of the image of a convolution whose groups have as many input as output channels.
inline Index blocks_of_groups(const ConvShape& s) {
  return ceil_div(s.groups * s.in_channels, kChannelBlock);
}

/// Some rows of a block by an op, which moves from row to row.
template <class Op>
inline void depthwise_rows(const Window& w, Range whole, const float* x, Range rows, Op op) {
  for (Index row = rows.begin; row < rows.end; ++row) {
    window_row(w, whole, x, row, op);
    op.y += w.out[2] * kChannelBlock;
    if (op.residual) op.residual += w.out[2] * kChannelBlock;
  }
}

/// `channels` is the block's place among those of its image.
[[gnu::noinline]] void blocked_depthwise_rows(const BlockedConv& call, Range whole, Index block,
                                              Index channels, Range rows) {
  const Window& w = call.shape.conv.window;
  const ClipRange range = clip_range(call.activation);
  const Index size = call.shape.conv.in_channels, row_floats = w.out[2] * kChannelBlock;
  const Index y = (block * w.out[1] + rows.begin) * row_floats;
  const float* weights = call.packed_weights + channels * volume(w.kernel) * size * kChannelBlock;
  for (Index lane = 0; lane < kChannelBlock; lane += kLanes) {
    const DepthwiseOp op{weights + lane,
                         call.bias ? load(call.bias + channels * kChannelBlock + lane) : Vf{},
                         call.residual ? call.residual + y + lane : nullptr,
                         range.low,
                         range.high,
                         call.y + y + lane};
    const float* x = call.x + block * volume(w.in) * kChannelBlock + lane;
    const GroupedOp grouped{op, size};
    if (size == 1) {
      depthwise_rows(w, whole, x, rows, op);
    } else if (kLanes < kChannelBlock && size >= kLanes) {
      depthwise_rows(w, whole, x, rows, FullGroupOp{grouped, lane % size});
    } else {
      const Vi lanes = lane_numbers(), in_group = lanes & static_cast<std::int32_t>(size - 1);
      depthwise_rows(w, whole, x, rows, SmallGroupOp{grouped, lanes - in_group});
    }
  }
  activate_run(call.activation, call.y + y, (rows.end - rows.begin) * row_floats);
}

inline Index depthwise_tasks(const ConvShape& s) {
  return s.batch * s.window.out[1] * blocks_of_groups(s);
}

/// A task is a row of one block of one image.
inline void blocked_depthwise(const BlockedConv& call, Range tasks) {
  const Window& w = call.shape.conv.window;
  const Index blocks = blocks_of_groups(call.shape.conv);
  const Range whole = whole_windows(w);
  for_rows(w, blocks, tasks, [&](Index block, Range rows) {
    blocked_depthwise_rows(call, whole, block, block % blocks, rows);
  });
}

inline Index depthwise_weights_size(const ConvShape& s) {
  return blocks_of_groups(s) * kChannelBlock * s.in_channels * volume(s.window.kernel);
}

/// [blocks, taps, channels of a group, kChannelBlock]
inline void pack_depthwise(const BlockedShape& shape, const float* weights, float* packed) {
  const ConvShape& s = shape.conv;
  const Index taps = volume(s.window.kernel), size = s.in_channels;
  fill_zero(packed, depthwise_weights_size(s));
  for (Index c = 0; c < s.groups * size; ++c)
    for (Index i = 0; i < size; ++i)
      for (Index tap = 0; tap < taps; ++tap)
        packed[((c / kChannelBlock * taps + tap) * size + i) * kChannelBlock + c % kChannelBlock] =
            *weights++;
}

}  // namespace
}  // namespace strata::kernels
