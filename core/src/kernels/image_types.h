#pragma once

#include <cstdint>

#include "kernels/function_types.h"

/// Arguments of the kernels that work on images, as in types.h.
///
/// These headers are also included by the sources compiled for one instruction set, so they hold
/// no code: a function emitted there and shared by the linker would break older CPUs.
namespace strata::kernels {

/// A sliding window over up to three axes; unused leading axes have extent 1, stride 1, no padding.
struct Window {
  Index in[3] = {1, 1, 1};
  Index out[3] = {1, 1, 1};  ///< decides the padding at the end
  Index kernel[3] = {1, 1, 1};
  Index stride[3] = {1, 1, 1};
  Index dilation[3] = {1, 1, 1};
  Index pad[3] = {0, 0, 0};  ///< at the beginning
};

/// A convolution of [batch, groups * in_channels, in...] to [batch, groups * out_channels, out...].
struct ConvShape {
  Index batch = 1;
  Index groups = 1;
  Index in_channels = 1;   ///< of one group
  Index out_channels = 1;  ///< of one group
  Window window;
};

/// How a convolution of planes is computed.
enum class ConvWay {
  tiles,       ///< as a product of matrices, whose panels of patches are made one at a time
  few_pixels,  ///< with vectors over the channels
  depthwise    ///< channel by channel, with vectors over the pixels
};

/// `residual` has the layout of `y`.
struct Conv {
  ConvShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_conv_weights`
  const float* bias = nullptr;            ///< one per output channel, or null
  const float* residual = nullptr;        ///< added before the activation, or null
  UnaryFunction activation;
  float* y = nullptr;
};

/// Channels that lie side by side in a blocked image, [batch, blocks, in..., kChannelBlock]. What
/// fills up the last block is finite and never read into a channel that exists.
constexpr Index kChannelBlock = 16;

enum class Layout { planes, blocks };

/// How a convolution to a blocked image is computed.
enum class BlockedMethod {
  direct,
  depthwise,  ///< one channel per group
  grouped,    ///< 2, 4 or 8 channels per group, both in and out
  winograd2,  ///< 3 x 3 or 2 x 2 with unit stride and dilation, in tiles of 2 x 2 or 3 x 3 outputs
  winograd4  ///< the same in tiles of 4 x 4 or 5 x 5: fewer products, rounding errors several times
             ///< larger
};

/// How the places of a convolution become an image, when each makes several outputs along an axis,
/// its phases. A block of lanes of the convolution's channels is one phase of a block of channels
/// of y; phases along the last axis vary fastest, then those along the other, then blocks of y.
struct Spread {
  Index channels = 0;  ///< of y; 0: each place is one output, and the rest is not read
  Index phases[2] = {1, 1};
  Index cut[2] = {0, 0};   ///< outputs of the first place that are left out, fewer than its phases
  Index size[2] = {0, 0};  ///< of y, ends among the outputs of the last place
};

/// A convolution from or to a blocked image. With several groups, direct takes whole blocks of
/// channels in each, or, over one or two axes, any number of them.
struct BlockedShape {
  ConvShape conv;
  BlockedMethod method = BlockedMethod::direct;
  Layout input = Layout::blocks;   ///< planes: one group, directly with unit dilation along rows
  Layout output = Layout::blocks;  ///< planes: neither depthwise nor grouped
  Spread spread;                   ///< by Winograd's method only, one group, up to four phases
};

/// `residual` has the layout of `y`, which is blocks then.
struct BlockedConv {
  BlockedShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_blocked_weights`
  const float* bias = nullptr;            ///< whole blocks, or null
  const float* residual = nullptr;        ///< added before the activation, or null
  UnaryFunction activation;
  float* y = nullptr;
};

/// Pixels of blocks of channels: y[i] = the sum of weights[i][t] * x[elements[i][t]] over t, each
/// kChannelBlock floats.
struct BlockPicks {
  Index places = 0;
  Index picks = 0;                         ///< of each place
  const std::int32_t* elements = nullptr;  ///< [places][picks]; below 0: a zero outside
  const float* weights = nullptr;          ///< [places][picks]
  const float* x = nullptr;
  float* y = nullptr;
};

/// The transpose of a convolution, of [batch, groups * out_channels, out...] to [batch, groups *
/// in_channels, in...]: all names of `shape` are those of the convolution.
struct Deconv {
  ConvShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_deconv_weights`
  const float* bias = nullptr;            ///< one per channel of y, or null
  UnaryFunction activation;
  float* y = nullptr;
};

enum class PoolKind {
  max,
  average,             ///< divides by the elements inside the input
  average_include_pad  ///< divides by the elements inside the padded input
};

/// `planes` = batch * channels windows, each over one plane of x.
struct Pool {
  PoolKind kind = PoolKind::max;
  Index planes = 1;
  Window window;
  Index pad_end[3] = {0, 0, 0};  ///< only read for average_include_pad
  const float* x = nullptr;
  float* y = nullptr;
};

/// y = x / (bias + alpha * s)^beta, where s is the sum of the squares of channels c - before to
/// c + after of the same pixel, over one image of [channels, pixels].
struct Lrn {
  Index channels = 0;
  Index pixels = 0;
  Index before = 0;
  Index after = 0;
  float alpha = 1;  ///< above 0
  float beta = 1;   ///< in (0, 16]
  float bias = 1;   ///< at least 2^-10
  const float* x = nullptr;
  float* y = nullptr;
};

/// How one axis is resized: output o is the sum over taps t of input `inputs[t * out + o]` times
/// `weights[t * out + o]`.
struct ResizedAxis {
  Index in = 1;
  Index out = 1;
  Index taps = 1;
  const std::int32_t* inputs = nullptr;  ///< ascend along outputs and taps; null: nothing changes
  const float* weights = nullptr;        ///< null: copies of one tap each
  bool doubles = false;                  ///< each input is copied twice: `inputs` are 0, 0, 1, 1, …
};

/// [outer, rows.in, columns.in] to [outer, rows.out, columns.out].
struct Resize {
  Index outer = 1;
  ResizedAxis rows;
  ResizedAxis columns;
  Index pitch = 0;  ///< from a row of inputs to the next; 0: they lie side by side
  const float* x = nullptr;
  float* y = nullptr;
};

}  // namespace strata::kernels
