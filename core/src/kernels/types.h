#pragma once

#include <cstddef>
#include <cstdint>

/// Arguments of the f32 kernels: raw pointers, strides in elements, plain aggregates.
///
/// These headers are also included by the sources compiled for one instruction set, so they hold
/// no code: a function emitted there and shared by the linker would break older CPUs.
namespace strata::kernels {

using Index = std::ptrdiff_t;

/// Scalar functions of one argument. NaN in gives NaN out for all of them but shrink and
/// thresholded_relu, which compare it and give 0.
enum class Unary {
  identity,
  abs,
  neg,
  floor,
  ceil,
  sqrt,
  relu,
  clip,          ///< to [alpha, beta]
  leaky_relu,    ///< x < 0 ? alpha * x : x
  hard_sigmoid,  ///< clip(alpha * x + beta, 0, 1)
  hard_swish,    ///< x * clip(x / 6 + 1/2, 0, 1)
  exp,
  log,
  tanh,
  sigmoid,
  silu,  ///< x * sigmoid(x)
  erf,
  gelu,              ///< x * (1 + erf(x / sqrt 2)) / 2
  round,             ///< to the nearest whole number, halves to even
  sign,              ///< -1, 0 or 1
  softsign,          ///< x / (1 + |x|)
  shrink,            ///< x < -alpha ? x + beta : x > alpha ? x - beta : 0
  thresholded_relu,  ///< x > alpha ? x : 0
  elu,               ///< x < 0 ? alpha * (e^x - 1) : x
  celu,              ///< x > 0 ? x : alpha * (e^(x / alpha) - 1); alpha > 0
  selu,              ///< beta * (x <= 0 ? alpha * (e^x - 1) : x)
  swish,             ///< x * sigmoid(alpha * x)
  softplus,          ///< log(1 + e^x)
  mish,              ///< x * tanh(softplus(x))
  gelu_tanh,         ///< x * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
};

/// A unary function with its parameters.
struct UnaryFunction {
  Unary op = Unary::identity;
  float alpha = 0;
  float beta = 0;
};

/// Scalar functions of two arguments; min and max return NaN if either argument is NaN.
enum class Binary {
  add,
  sub,
  mul,
  div,
  min,
  max,
  pow,   ///< as C's pow
  fmod,  ///< as C's fmod: the remainder, with the sign of a
  prelu  ///< a < 0 ? a * b : a
};

enum class Reduction { sum, mean, max, min, l1, l2, sum_square, log_sum, log_sum_exp };

/// e^x over the sum of all, or the logarithm of that.
enum class SoftmaxForm { plain, logarithm };

/// A matrix in place: element (i, j) is `data[i * row_stride + j * column_stride]`.
struct MatrixView {
  const float* data = nullptr;
  Index row_stride = 0;
  Index column_stride = 1;
};

/// The half-open range [begin, end).
struct Range {
  Index begin = 0;
  Index end = 0;
};

enum class BiasKind { none, per_row, per_column };

/// What is done to each element of a product before it is stored: activation(x + residual + bias).
struct Epilogue {
  const float* bias = nullptr;
  BiasKind bias_kind = BiasKind::none;
  const float* residual = nullptr;  ///< added before the activation; may be the output itself
  Index residual_stride = 0;        ///< between rows of the residual
  UnaryFunction activation;
};

/// C = epilogue(A B), A of m x k, B of k x n, C with unit column stride.
struct Gemm {
  Index m = 0;
  Index n = 0;
  Index k = 0;
  MatrixView a;
  const float* packed_a = nullptr;  ///< from `pack_a`; takes the place of `a`
  MatrixView b;
  const float* packed_b = nullptr;  ///< from `pack_b`; takes the place of `b`
  float* c = nullptr;
  Index c_stride = 0;
  Epilogue epilogue;
};

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

/// `residual` has the layout of `y`.
struct Conv {
  ConvShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_conv_weights`
  const float* bias = nullptr;            ///< one an output channel, or null
  const float* residual = nullptr;        ///< added before the activation, or null
  UnaryFunction activation;
  float* y = nullptr;
};

/// Channels that lie side by side in a blocked image, [batch, blocks, in..., kChannelBlock]. What
/// fills the last block up is finite and never read into a channel that is there.
constexpr Index kChannelBlock = 16;

enum class Layout { planes, blocks };

/// How a convolution to a blocked image is computed.
enum class BlockedMethod {
  direct,
  depthwise,  ///< one channel a group
  winograd2,  ///< 3 x 3 with unit stride and dilation, by tiles of 2 x 2 outputs
  winograd4   ///< the same by tiles of 4 x 4: fewer products, rounding errors several times larger
};

/// A convolution to a blocked image, over one or two axes. With several groups, direct takes whole
/// blocks of channels in each.
struct BlockedShape {
  ConvShape conv;
  BlockedMethod method = BlockedMethod::direct;
  Layout input = Layout::blocks;  ///< planes: direct only, one group, unit dilation along rows
};

/// `residual` has the layout of `y`.
struct BlockedConv {
  BlockedShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_blocked_weights`
  const float* bias = nullptr;            ///< whole blocks, or null
  const float* residual = nullptr;        ///< added before the activation, or null
  UnaryFunction activation;
  float* y = nullptr;
};

/// The transpose of a convolution, of [batch, groups * out_channels, out...] to [batch, groups *
/// in_channels, in...]: all names of `shape` are those of the convolution.
struct Deconv {
  ConvShape shape;
  const float* x = nullptr;
  const float* packed_weights = nullptr;  ///< from `pack_deconv_weights`
  const float* bias = nullptr;            ///< one a channel of y, or null
  UnaryFunction activation;
  float* y = nullptr;
};

enum class PoolKind {
  max,
  average,             ///< of the elements inside the input
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

/// y[o][i] = op(a[o * a_outer + i * a_inner], b[o * b_outer + i * b_inner]); y is dense.
///
/// An inner stride is 1, or 0 for one value per row; an outer stride is free, 0 repeats a row.
struct BinaryCall {
  Binary op = Binary::add;
  Index outer = 1;
  Index inner = 0;
  const float* a = nullptr;
  Index a_outer = 0;
  Index a_inner = 1;
  const float* b = nullptr;
  Index b_outer = 0;
  Index b_inner = 1;
  float* y = nullptr;
};

/// What a row is divided by the root of: its variance, once its mean is taken away, or the mean of its
/// squares as they are.
enum class NormForm { centred, root_mean_square };

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias over each row, or without the mean.
struct LayerNorm {
  NormForm form = NormForm::centred;
  Index rows = 0;
  Index columns = 0;
  float epsilon = 0;
  const float* x = nullptr;
  const float* scale = nullptr;  ///< one a column, or null
  const float* bias = nullptr;   ///< one a column, or null
  float* y = nullptr;
};

/// y[i] = condition[i] ? a[i * a_step] : b[i * b_step], elements of 32 bits of any kind.
struct SelectCall {
  Index n = 0;
  const bool* condition = nullptr;
  const float* a = nullptr;
  Index a_step = 1;  ///< 0 or 1
  const float* b = nullptr;
  Index b_step = 1;  ///< 0 or 1
  float* y = nullptr;
};

enum class Extreme { max, min };
/// Which of several equal extremes counts.
enum class Tie { first, last };

/// y[o][i] = the place of the extreme of x[o][..][i]; NaN is more extreme than any number.
struct ArgReduce {
  Extreme extreme = Extreme::max;
  Tie tie = Tie::first;
  Index outer = 1;
  Index length = 1;  ///< below 2^31
  Index inner = 1;
  const float* x = nullptr;
  std::int64_t* y = nullptr;
};

/// The k greatest, or least, of x[o][..][i], best first, and their places. Of equal elements the
/// first comes first; NaN counts as the greatest.
struct TopK {
  Extreme extreme = Extreme::max;
  Index length = 1;  ///< below 2^31
  Index inner = 1;
  Index k = 1;  ///< at most `length`
  const float* x = nullptr;
  float* values = nullptr;
  std::int64_t* places = nullptr;
};

enum class RunKind { sum, product };
enum class RunDirection { forward, backward };
/// Whether an element counts in its own total.
enum class RunBounds { inclusive, exclusive };

/// y[o][k][i] = the total of x[o][0..k][i].
struct Cumulate {
  RunKind kind = RunKind::sum;
  RunDirection direction = RunDirection::forward;
  RunBounds bounds = RunBounds::inclusive;
  Index outer = 1;
  Index length = 1;
  Index inner = 1;
  const float* x = nullptr;
  float* y = nullptr;
};

/// Floats of 16 bits.
enum class NarrowFloat { f16, bf16 };
enum class IntegerType { u8, i8, i32, i64 };

/// How n numbers go to 8 bits and back: element i has scale `scale[i * step]` and that zero point.
struct Quantization {
  IntegerType type = IntegerType::u8;  ///< u8 or i8
  Index n = 0;
  const float* scale = nullptr;
  const void* zero = nullptr;  ///< of `type`; null: 0
  Index step = 0;              ///< 0 or 1
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

/// What one axis is resized to: output o is the sum over taps t of input `inputs[t * out + o]` times
/// `weights[t * out + o]`.
struct ResizedAxis {
  Index in = 1;
  Index out = 1;
  Index taps = 1;
  const std::int32_t* inputs = nullptr;  ///< ascend along outputs and taps; null: nothing changes
  const float* weights = nullptr;        ///< null: copies of one tap each
};

/// [outer, rows.in, columns.in] to [outer, rows.out, columns.out].
struct Resize {
  Index outer = 1;
  ResizedAxis rows;
  ResizedAxis columns;
  const float* x = nullptr;
  float* y = nullptr;
};

/// What a query that the mask hides all keys from becomes: NaN, as 0 / 0, or 0.
enum class HiddenQuery { nan, zero };

/// The attention of one head: y = softmax(cap(scale q k^T) + mask) v, row by row, where cap(x) is
/// cap * tanh(x / cap), or x where `cap` is 0. Any stride may be 0; rows of y lie side by side.
struct Attention {
  Index queries = 0;
  Index keys = 0;
  Index depth = 0;  ///< of a query and a key
  Index width = 0;  ///< of a value
  MatrixView q;     ///< queries x depth
  MatrixView k;     ///< keys x depth
  MatrixView v;     ///< keys x width
  MatrixView mask;  ///< queries x keys; null for none
  float scale = 1;
  float cap = 0;
  HiddenQuery hidden = HiddenQuery::nan;
  float* y = nullptr;
  Index y_stride = 0;  ///< between rows
};

/// The sums that one gate of a recurrent cell is a function of: product + added + bias, each
/// `hidden` values a row.
struct GateSum {
  const float* product = nullptr;
  Index product_stride = 0;      ///< between rows
  const float* added = nullptr;  ///< or null
  Index added_stride = 0;        ///< between rows
  const float* bias = nullptr;   ///< the same for all rows, or null
};

/// One step of an LSTM, given the products of its state; rows of `hidden` values.
///
///   i, f, g = f_i(sum_i + p_i . c), f_f(sum_f + p_f . c), f_g(sum_g)
///   next_c = f . c + i . g
///   next_h = f_o(sum_o + p_o . next_c) . f_h(next_c)
struct LstmCell {
  Index rows = 0;
  Index hidden = 0;
  GateSum input;
  GateSum output;
  GateSum forget;
  GateSum candidate;
  const float* peepholes[3] = {};  ///< of input, output and forget; the same for all rows, or null
  UnaryFunction functions[5];      ///< of input, output, forget, candidate and next_c
  const float* c = nullptr;
  float* next_c = nullptr;
  float* next_h = nullptr;
};

/// Where the reset gate r of a GRU applies, and so what its candidate is.
enum class GruReset {
  after_product,  ///< g(added + r . (product + bias))
  before_product  ///< g(product + added + bias), the product being one of r . h
};

/// One step of a GRU, given the products of its state; rows of `hidden` values.
///
///   z, r = f(sum_z), f(sum_r)
///   next_h = (1 - z) . candidate + z . h
struct GruCell {
  Index rows = 0;
  Index hidden = 0;
  GruReset reset_kind = GruReset::after_product;
  GateSum update;
  GateSum reset;  ///< not read before_product
  GateSum candidate;
  UnaryFunction functions[3];  ///< of update, reset and candidate
  const float* h = nullptr;
  float* next_h = nullptr;
};

}  // namespace strata::kernels
