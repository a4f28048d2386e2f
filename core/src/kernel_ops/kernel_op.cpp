#include "kernel_ops/kernel_op.h"

#include "kernel_ops/unary_kernel.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/unary.h"

namespace strata {
namespace {

using KernelUnary = kernels::Unary;

std::optional<KernelUnary> function_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::abs:
      return KernelUnary::abs;
    case UnaryOp::neg:
      return KernelUnary::neg;
    case UnaryOp::floor:
      return KernelUnary::floor;
    case UnaryOp::ceil:
      return KernelUnary::ceil;
    case UnaryOp::sqrt:
      return KernelUnary::sqrt;
    case UnaryOp::relu:
      return KernelUnary::relu;
    case UnaryOp::hard_swish:
      return KernelUnary::hard_swish;
    case UnaryOp::exp:
      return KernelUnary::exp;
    case UnaryOp::log:
      return KernelUnary::log;
    case UnaryOp::tanh:
      return KernelUnary::tanh;
    case UnaryOp::sigmoid:
      return KernelUnary::sigmoid;
    case UnaryOp::silu:
      return KernelUnary::silu;
    case UnaryOp::erf:
      return KernelUnary::erf;
    case UnaryOp::gelu:
      return KernelUnary::gelu;
    default:
      return std::nullopt;
  }
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
    const auto function = function_of(unary->op);
    return function ? std::optional(KernelFunction{*function}) : std::nullopt;
  }
  if (const Activation* activation = op.as<Activation>()) {
    if (activation->op == ActivationKind::leaky_relu)
      return KernelFunction{KernelUnary::leaky_relu, activation->alpha};
    if (activation->op == ActivationKind::hard_sigmoid)
      return KernelFunction{KernelUnary::hard_sigmoid, activation->alpha, activation->beta};
  }
  return std::nullopt;
}

}  // namespace strata
