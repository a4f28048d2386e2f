#include "kernel_ops/kernel_op.h"

#include <algorithm>

#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

using KernelUnary = kernels::Unary;

constexpr std::pair<UnaryOp, KernelUnary> kUnaries[] = {
    {UnaryOp::abs, KernelUnary::abs},
    {UnaryOp::acos, KernelUnary::acos},
    {UnaryOp::acosh, KernelUnary::acosh},
    {UnaryOp::asin, KernelUnary::asin},
    {UnaryOp::asinh, KernelUnary::asinh},
    {UnaryOp::atan, KernelUnary::atan},
    {UnaryOp::atanh, KernelUnary::atanh},
    {UnaryOp::ceil, KernelUnary::ceil},
    {UnaryOp::cos, KernelUnary::cos},
    {UnaryOp::cosh, KernelUnary::cosh},
    {UnaryOp::erf, KernelUnary::erf},
    {UnaryOp::exp, KernelUnary::exp},
    {UnaryOp::floor, KernelUnary::floor},
    {UnaryOp::gelu, KernelUnary::gelu},
    {UnaryOp::gelu_tanh, KernelUnary::gelu_tanh},
    {UnaryOp::hard_swish, KernelUnary::hard_swish},
    {UnaryOp::log, KernelUnary::log},
    {UnaryOp::mish, KernelUnary::mish},
    {UnaryOp::neg, KernelUnary::neg},
    {UnaryOp::relu, KernelUnary::relu},
    {UnaryOp::round, KernelUnary::round},
    {UnaryOp::sigmoid, KernelUnary::sigmoid},
    {UnaryOp::sign, KernelUnary::sign},
    {UnaryOp::silu, KernelUnary::silu},
    {UnaryOp::sin, KernelUnary::sin},
    {UnaryOp::sinh, KernelUnary::sinh},
    {UnaryOp::softplus, KernelUnary::softplus},
    {UnaryOp::softsign, KernelUnary::softsign},
    {UnaryOp::sqrt, KernelUnary::sqrt},
    {UnaryOp::tan, KernelUnary::tan},
    {UnaryOp::tanh, KernelUnary::tanh},
};

constexpr std::pair<ActivationKind, KernelUnary> kActivations[] = {
    {ActivationKind::celu, KernelUnary::celu},
    {ActivationKind::elu, KernelUnary::elu},
    {ActivationKind::hard_sigmoid, KernelUnary::hard_sigmoid},
    {ActivationKind::leaky_relu, KernelUnary::leaky_relu},
    {ActivationKind::selu, KernelUnary::selu},
    {ActivationKind::shrink, KernelUnary::shrink},
    {ActivationKind::swish, KernelUnary::swish},
    {ActivationKind::thresholded_relu, KernelUnary::thresholded_relu},
};

template <class Op, std::size_t N>
std::optional<KernelUnary> function_of(Op op, const std::pair<Op, KernelUnary> (&functions)[N]) {
  const auto at = std::find_if(std::begin(functions), std::end(functions),
                               [&](const auto& row) { return row.first == op; });
  return at == std::end(functions) ? std::nullopt : std::optional(at->second);
}

}  // namespace

AttrValue to_attr(const KernelFunction& function) {
  return std::vector<double>{static_cast<double>(function.op), function.alpha, function.beta};
}

void from_attr(const AttrValue& value, KernelFunction& function) {
  const auto& numbers = attr_as<std::vector<double>>(value, "kernel function");
  check(numbers.size() == 3, "a kernel function has ", numbers.size(), " numbers");
  function = {static_cast<KernelUnary>(numbers[0]), static_cast<float>(numbers[1]),
              static_cast<float>(numbers[2])};
}

std::optional<KernelFunction> kernel_function(const TypedOp& op) {
  if (const UnaryKernel* kernel = op.as<UnaryKernel>()) return kernel->function;
  if (const Unary* unary = op.as<Unary>()) {
    const auto function = function_of(unary->op, kUnaries);
    return function ? std::optional(KernelFunction{*function}) : std::nullopt;
  }
  if (const Activation* activation = op.as<Activation>()) {
    if (activation->op == ActivationKind::celu && !(activation->alpha > 0)) return std::nullopt;
    const auto function = function_of(activation->op, kActivations);
    if (function) return KernelFunction{*function, activation->alpha, activation->beta};
  }
  return std::nullopt;
}

std::optional<float> number_in(const Fact& fact) {
  const Tensor* value = fact.constant();
  if (!value || value->dtype() != DatumType::f32 || value->size() != 1) return std::nullopt;
  return value->as<float>()[0];
}

bool adds_alike(const NodeView& node) {
  const Binary* add = node.op().as<Binary>();
  if (!add || add->op != BinaryOp::add) return false;
  const ShapeFact& y = node.output_fact().shape;
  return !y.is_open() && node.input_fact(0).shape == y && node.input_fact(1).shape == y;
}

}  // namespace strata
