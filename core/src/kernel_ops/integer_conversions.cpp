#include "kernel_ops/integer_conv_kernel.h"
#include "kernel_ops/integer_matmul_kernel.h"
#include "kernel_ops/rules.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

/// The node that makes `wire`, when nobody else reads it.
std::optional<NodeView> inner_maker(const NodeView& node, OutletId wire) {
  if (!node.sole_reader(wire)) return std::nullopt;
  return NodeView{node.model, wire.node};
}

/// A function of two wires that makes an inner one.
std::optional<std::array<OutletId, 2>> inner_binary(const NodeView& node, OutletId wire,
                                                    BinaryOp op) {
  const auto made = inner_maker(node, wire);
  const Binary* binary = made ? made->op().as<Binary>() : nullptr;
  if (!binary || binary->op != op) return std::nullopt;
  return std::array{made->input(0), made->input(1)};
}

/// What an inner wire is cast from.
std::optional<OutletId> inner_cast(const NodeView& node, OutletId wire, DatumType type) {
  const auto made = inner_maker(node, wire);
  const Cast* cast = made ? made->op().as<Cast>() : nullptr;
  if (!cast || cast->to != type) return std::nullopt;
  return made->input(0);
}

/// The number a constant of one element holds.
std::optional<double> number_of(const Fact& fact) {
  const Tensor* constant = fact.constant();
  if (!constant || constant->size() != 1) return std::nullopt;
  return number_at(*constant, 0);
}

/// Whether an operand is one number, or one for each index of one axis that a kernel allows.
template <class Kernel>
bool stretches(const ShapeFact& operand, const ShapeFact& out) {
  if (operand.is_open() || out.is_open() || operand.rank() > out.rank()) return false;
  std::size_t stretched = 0;
  for (std::size_t i = 0; i < operand.rank(); ++i) {
    const std::size_t axis = i + out.rank() - operand.rank();
    if (operand[i] == Dim(1)) continue;
    if (operand[i] != out[axis] || !Kernel::may_stretch(out, axis)) return false;
    ++stretched;
  }
  return stretched <= 1;
}

/// A kernel whose output `wire` is, and its inputs.
template <class Kernel>
struct Inner {
  Kernel kernel;
  OutletIds inputs;
};

template <class Kernel>
std::optional<Inner<Kernel>> inner_kernel(const NodeView& node, OutletId wire, DatumType type) {
  const auto made = inner_maker(node, wire);
  const Kernel* kernel = made ? made->op().as<Kernel>() : nullptr;
  if (!kernel || kernel->conversion.to != type) return std::nullopt;
  return Inner<Kernel>{*kernel, made->inputs()};
}

template <class Kernel>
Rewrite with_scale(const NodeView& node) {
  for (const std::size_t i : {0, 1}) {
    const auto sums = inner_cast(node, node.input(i), DatumType::f32);
    auto found = sums ? inner_kernel<Kernel>(node, *sums, DatumType::i32) : std::nullopt;
    if (!found || !stretches<Kernel>(node.input_fact(1 - i).shape, node.input_fact(i).shape))
      continue;
    found->kernel.conversion.to = DatumType::f32;
    found->inputs.push_back(node.input(1 - i));
    return replace(node, found->kernel, found->inputs);
  }
  return no_change;
}

template <class Kernel>
Rewrite with_bias(const NodeView& node) {
  for (const std::size_t i : {0, 1}) {
    auto found = inner_kernel<Kernel>(node, node.input(i), DatumType::f32);
    if (!found || found->inputs.size() != found->kernel.own_inputs() + 1 ||
        !stretches<Kernel>(node.input_fact(1 - i).shape, node.input_fact(i).shape))
      continue;
    found->inputs.push_back(node.input(1 - i));
    return replace(node, found->kernel, found->inputs);
  }
  return no_change;
}

/// min(max(round(double(sums) * factor + offset), least), greatest)
struct Requantised {
  OutletId sums, factor, offset;
  double least, greatest;
};

std::optional<Requantised> requantised(const NodeView& node, OutletId wire) {
  const auto lowered = inner_binary(node, wire, BinaryOp::min);
  const auto raised = lowered ? inner_binary(node, (*lowered)[0], BinaryOp::max) : std::nullopt;
  const auto rounded = raised ? inner_maker(node, (*raised)[0]) : std::nullopt;
  const Unary* round = rounded ? rounded->op().as<Unary>() : nullptr;
  if (!round || round->op != UnaryOp::round) return std::nullopt;
  const auto shifted = inner_binary(node, rounded->input(0), BinaryOp::add);
  const auto scaled = shifted ? inner_binary(node, (*shifted)[0], BinaryOp::mul) : std::nullopt;
  const auto sums = scaled ? inner_cast(node, (*scaled)[0], DatumType::f64) : std::nullopt;
  const auto least = sums ? number_of(node.model.fact((*raised)[1])) : std::nullopt;
  const auto greatest = sums ? number_of(node.model.fact((*lowered)[1])) : std::nullopt;
  if (!least || !greatest) return std::nullopt;
  return Requantised{*sums, (*scaled)[1], (*shifted)[1], *least, *greatest};
}

template <class Kernel>
Rewrite with_bytes(const NodeView& node, const Requantised& found) {
  auto inner = inner_kernel<Kernel>(node, found.sums, DatumType::i32);
  const ShapeFact& out = node.output_fact().shape;
  const auto fits = [&](OutletId operand) {
    return stretches<Kernel>(node.model.fact(operand).shape, out);
  };
  if (!inner || !fits(found.factor) || !fits(found.offset)) return no_change;
  inner->kernel.conversion = {node.output_fact().dtype, ByteConversion::requantise, 0,
                              static_cast<std::int64_t>(found.least),
                              static_cast<std::int64_t>(found.greatest)};
  inner->inputs.push_back(found.factor);
  inner->inputs.push_back(found.offset);
  return replace(node, inner->kernel, inner->inputs);
}

/// `wire`, or what it is the relu of.
struct Activated {
  OutletId wire;
  bool is_relu = false;
};

Activated behind_relu(const NodeView& node, OutletId wire) {
  const auto made = inner_maker(node, wire);
  const auto function = made ? kernel_function(made->op()) : std::nullopt;
  if (!function || function->op != kernels::Unary::relu) return {wire};
  return {made->input(0), true};
}

template <class Kernel>
Rewrite with_quantised(const NodeView& node, const Activated& x, std::int64_t zero) {
  auto inner = inner_kernel<Kernel>(node, x.wire, DatumType::f32);
  if (!inner) return no_change;
  const DatumType type = node.output_fact().dtype;
  const std::int64_t lowest = type == DatumType::u8 ? 0 : -128;
  inner->kernel.conversion = {type, ByteConversion::quantise, zero, x.is_relu ? zero : lowest,
                              lowest + 255};
  const auto scale =
      inner->inputs.begin() + static_cast<std::ptrdiff_t>(inner->kernel.own_inputs());
  inner->inputs.insert(scale + 1, node.input(1));
  return replace(node, inner->kernel, inner->inputs);
}

}  // namespace

/// f32(sums of an integer kernel) * scale  ->  the kernel with the scale
Rewrite scale_integer_sums(const NodeView& node, const Target&) {
  const Binary* product = node.op().as<Binary>();
  if (!product || product->op != BinaryOp::mul || !is_f32(node.output_fact())) return no_change;
  if (Rewrite found = with_scale<IntegerMatMulKernel>(node)) return found;
  return with_scale<IntegerConvKernel>(node);
}

/// scaled sums of an integer kernel + bias  ->  the kernel with the bias
Rewrite shift_integer_sums(const NodeView& node, const Target&) {
  const Binary* sum = node.op().as<Binary>();
  if (!sum || sum->op != BinaryOp::add || !is_f32(node.output_fact())) return no_change;
  if (Rewrite found = with_bias<IntegerMatMulKernel>(node)) return found;
  return with_bias<IntegerConvKernel>(node);
}

/// bytes(min(max(round(f64(sums of an integer kernel) * factor + offset), least), greatest))
///   ->  the kernel with factor, offset and ends
Rewrite requantise_integer_sums(const NodeView& node, const Target&) {
  if (!node.op().as<Cast>() || !is_bytes(node.output_fact())) return no_change;
  const auto found = requantised(node, node.input(0));
  if (!found) return no_change;
  const double lowest = node.output_fact().dtype == DatumType::u8 ? 0 : -128;
  if (found->least < lowest || found->greatest > lowest + 255) return no_change;
  if (Rewrite matmul = with_bytes<IntegerMatMulKernel>(node, *found)) return matmul;
  return with_bytes<IntegerConvKernel>(node, *found);
}

/// Quantize(scaled sums of an integer kernel, one scale)  ->  the kernel with the scale, and the
/// same for relu(scaled sums) where the scale is positive
Rewrite quantise_integer_sums(const NodeView& node, const Target&) {
  const Quantize* quantize = node.op().as<Quantize>();
  if (!quantize || !is_bytes(node.output_fact()) || quantize->precision != DatumType::f32 ||
      !is_f32(node.input_fact(0)) || !is_f32(node.input_fact(1)))
    return no_change;
  const auto scale = number_of(node.input_fact(1));
  const auto zero = node.inputs().size() < 3 ? std::optional(0.0) : number_of(node.input_fact(2));
  if (!scale || !zero || !(*scale > 0)) return no_change;
  const Activated x = behind_relu(node, node.input(0));
  const auto whole = static_cast<std::int64_t>(*zero);
  if (Rewrite matmul = with_quantised<IntegerMatMulKernel>(node, x, whole)) return matmul;
  return with_quantised<IntegerConvKernel>(node, x, whole);
}

}  // namespace strata
