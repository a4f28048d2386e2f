#include <algorithm>
#include <cmath>

#include "kernel_ops/integer_conv_kernel.h"
#include "kernel_ops/integer_matmul_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/quantize.h"

namespace strata {
namespace {

/// What a Dequantize with constant scales and zero points reads.
struct Dequantised {
  OutletId bytes;
  const Tensor* constant;  ///< the bytes, where they are known
  const Tensor* scale;
  const Tensor* zero;  ///< null for none
  std::int64_t axis;

  bool has_one_scale() const { return scale->size() == 1; }
  double scale_at(std::int64_t i) const { return number_at(*scale, has_one_scale() ? 0 : i); }
  std::int32_t zero_at(std::int64_t i) const {
    return zero ? static_cast<std::int32_t>(number_at(*zero, zero->size() == 1 ? 0 : i)) : 0;
  }
};

/// Input `i` of the node, if it is the f32 of such bytes.
std::optional<Dequantised> dequantised(const NodeView& node, std::size_t i) {
  const Dequantize* op = node.producer_as<Dequantize>(i);
  if (!op || op->block_size != 0 || op->to != DatumType::f32) return std::nullopt;
  const NodeView made = node.producer(i);
  const Fact& bytes = made.input_fact(0);
  const bool has_zero = made.inputs().size() > 2;
  Dequantised out{made.input(0), bytes.constant(), made.input_fact(1).constant(),
                  has_zero ? made.input_fact(2).constant() : nullptr, op->axis};
  if (!is_bytes(bytes) || !out.scale || out.scale->dtype() != DatumType::f32 ||
      (has_zero && !out.zero))
    return std::nullopt;
  return out;
}

/// With one zero point for all.
CentredBytes centred(Patch& patch, std::string_view name, const Dequantised& x) {
  if (x.zero_at(0) == 0) return {x.bytes};
  return {x.bytes, patch.constant(name, Tensor::scalar(x.zero_at(0)))};
}

/// Whether scales and zero points are one number, or one for each index of `axis`.
bool goes_along(const Dequantised& weights, std::size_t axis) {
  const std::size_t rank = weights.constant->rank();
  return weights.has_one_scale() || normalized_axis(weights.axis, rank) == axis;
}

/// The constant bytes, whose zero points go along an axis.
ByteWeights weights_of(const Dequantised& x) {
  ByteWeights out{*x.constant, {}};
  const std::int64_t count = x.zero ? x.zero->size() : 1;
  for (std::int64_t i = 0; i < count; ++i) out.zeros.push_back(x.zero_at(i));
  return out;
}

/// The scales of the products: one, or one for each channel. None if one of them is subnormal or
/// too large for a float, and so not exact.
std::optional<Tensor> product_scales(const Dequantised& x, const Dequantised& weights,
                                     Shape shape) {
  if (weights.has_one_scale()) shape = {};
  MutableTensor out(DatumType::f32, std::move(shape));
  std::int64_t i = 0;
  for (float& scale : out.as<float>()) {
    const double exact = x.scale_at(0) * weights.scale_at(i++);
    scale = static_cast<float>(exact);
    if (exact != 0 && !std::isnormal(scale)) return std::nullopt;
  }
  return std::move(out).freeze();
}

/// Sums of so many products of differences of bytes do not leave 32 bits.
bool stays_exact(std::int64_t depth) { return depth <= INT32_MAX / (255 * 255); }

/// A constant, or what is dequantised from constants.
std::optional<Tensor> known_floats(const NodeView& node, std::size_t i) {
  if (const Tensor* constant = node.input_fact(i).constant()) return *constant;
  if (!node.producer_as<Dequantize>(i)) return std::nullopt;
  const NodeView made = node.producer(i);
  ValueList values;
  for (std::size_t k = 0; k < made.inputs().size(); ++k) {
    const Tensor* constant = made.input_fact(k).constant();
    if (!constant) return std::nullopt;
    values.push_back(*constant);
  }
  return made.op().eval(values)[0].tensor();
}

/// The product with constant weights.
std::optional<IntegerMatMulCall> weighted(Patch& patch, const MatMul& op, const Dequantised& a,
                                          const Dequantised& b, Isa isa) {
  const std::size_t axis = op.transpose_b ? 0 : 1;
  const Tensor& weights = *b.constant;
  if (weights.rank() != 2 || !goes_along(b, axis) || !stays_exact(weights.shape()[1 - axis]))
    return std::nullopt;
  auto scales = product_scales(a, b, {weights.shape()[axis]});
  if (!scales) return std::nullopt;
  auto call = integer_product(patch, op, centred(patch, "zero", a), weights_of(b), isa);
  if (!call) return std::nullopt;
  call->inputs.push_back(patch.constant("scale", *std::move(scales)));
  return call;
}

std::optional<IntegerMatMulCall> unweighted(Patch& patch, const MatMul& op, const Dequantised& a,
                                            const Dequantised& b, Isa isa) {
  const ShapeFact& shape = patch.fact_of(a.bytes).shape;
  if (!b.has_one_scale() || shape.is_open() || shape.rank() == 0) return std::nullopt;
  const auto depth = shape[shape.rank() - 1].constant();
  if (!depth || !stays_exact(*depth)) return std::nullopt;
  auto scale = product_scales(a, b, {});
  if (!scale) return std::nullopt;
  auto call =
      integer_product(patch, op, centred(patch, "zero", a), centred(patch, "zero_b", b), isa);
  if (!call) return std::nullopt;
  call->inputs.push_back(patch.constant("scale", *std::move(scale)));
  return call;
}

}  // namespace

/// MatMul(Dequantize(a, sa, za), Dequantize(b, sb, zb))
///   ->  f32(IntegerMatMulKernel(a, b, za, zb)) * (sa * sb), in one kernel
Rewrite find_integer_matmul(const NodeView& node, const Target& target) {
  const MatMul* matmul = node.op().as<MatMul>();
  if (!matmul || !is_f32(node.output_fact())) return no_change;
  const auto a = dequantised(node, 0), b = dequantised(node, 1);
  if (!a || !b || !a->has_one_scale()) return no_change;
  Patch patch(node);
  auto call = b->constant ? weighted(patch, *matmul, *a, *b, target.isa)
                          : unweighted(patch, *matmul, *a, *b, target.isa);
  if (!call) return no_change;
  call->kernel.conversion.to = DatumType::f32;
  patch.shunt(node.output(), patch.wire_one("", call->kernel, call->inputs));
  return patch;
}

/// Conv(Dequantize(x, sx, zx), Dequantize(w, sw, zw), bias)
///   ->  f32(IntegerConvKernel(x, w - zw, zx)) * (sx * sw) + bias, in one kernel
Rewrite find_integer_conv(const NodeView& node, const Target& target) {
  const Conv* conv = node.op().as<Conv>();
  if (!conv || !is_f32(node.output_fact())) return no_change;
  const auto x = dequantised(node, 0), w = dequantised(node, 1);
  if (!x || !w || !x->has_one_scale() || !w->constant || w->constant->size() == 0 ||
      !goes_along(*w, 0))
    return no_change;
  const Shape& weights = w->constant->shape();
  const bool has_bias = node.inputs().size() > 2;
  const auto bias = has_bias ? known_floats(node, 2) : std::nullopt;
  if (has_bias != bias.has_value() || !stays_exact(volume(Span(weights).subspan(1))))
    return no_change;
  Shape channels(weights.size() - 1, 1);
  channels[0] = weights[0];
  auto scales = product_scales(*x, *w, channels);
  if (!scales) return no_change;
  Patch patch(node);
  auto call = integer_conv(patch, *conv, centred(patch, "zero", *x), weights_of(*w), target.isa);
  if (!call) return no_change;
  call->kernel.conversion.to = DatumType::f32;
  call->inputs.push_back(patch.constant("scale", *std::move(scales)));
  if (bias) call->inputs.push_back(patch.constant("bias", bias->reshaped(channels)));
  patch.shunt(node.output(), patch.wire_one("", call->kernel, call->inputs));
  return patch;
}

}  // namespace strata
