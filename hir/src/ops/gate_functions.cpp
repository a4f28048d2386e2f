#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/recurrent.h"
#include "strata/core/ops/activation.h"

namespace strata::hir {
namespace {

using Kind = GateFunctionKind;

constexpr NamedGateFunction kFunctions[] = {
    {"affine", {Kind::affine, 1, 0}, 2},
    {"elu", {Kind::elu, 1}, 1},
    {"hardsigmoid", {Kind::hard_sigmoid, 0.2F, 0.5F}, 2},
    {"leakyrelu", {Kind::leaky_relu, 0.01F}, 1},
    {"relu", {Kind::relu}},
    {"scaledtanh", {Kind::scaled_tanh, 1, 1}, 2},
    {"sigmoid", {Kind::sigmoid}},
    {"softplus", {Kind::softplus}},
    {"softsign", {Kind::softsign}},
    {"tanh", {Kind::tanh}},
    {"thresholdedrelu", {Kind::thresholded_relu, 1}, 1},
};

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower_case(x) == lower_case(y); });
}

OutletId wire_function(Builder& b, const GateFunction& f, OutletId x) {
  switch (f.kind) {
    case Kind::affine:
      return add(b, mul(b, x, f.alpha), f.beta);
    case Kind::elu:
      return b.one(Activation{ActivationKind::elu, f.alpha}, {x});
    case Kind::hard_sigmoid:
      return b.one(Activation{ActivationKind::hard_sigmoid, f.alpha, f.beta}, {x});
    case Kind::leaky_relu:
      return b.one(Activation{ActivationKind::leaky_relu, f.alpha}, {x});
    case Kind::relu:
      return unary(b, UnaryOp::relu, x);
    case Kind::scaled_tanh:
      return mul(b, unary(b, UnaryOp::tanh, mul(b, x, f.beta)), f.alpha);
    case Kind::sigmoid:
      return unary(b, UnaryOp::sigmoid, x);
    case Kind::softplus:
      return unary(b, UnaryOp::softplus, x);
    case Kind::softsign:
      return unary(b, UnaryOp::softsign, x);
    case Kind::tanh:
      return unary(b, UnaryOp::tanh, x);
    case Kind::thresholded_relu:
      return b.one(Activation{ActivationKind::thresholded_relu, f.alpha}, {x});
  }
  fail(ErrorKind::internal, "an unknown gate function");
}

}  // namespace

const NamedGateFunction* find_gate_function(std::string_view onnx_name) {
  const auto at = std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const NamedGateFunction& f) { return equal_in_any_case(f.name, onnx_name); });
  return at == std::end(kFunctions) ? nullptr : at;
}

OutletId apply_function(Builder& body, const CellInputs& in, std::size_t i, OutletId x) {
  if (in.clip) x = binary(body, BinaryOp::max, binary(body, BinaryOp::min, x, *in.clip), -*in.clip);
  return wire_function(body, in.functions[i], x);
}

}  // namespace strata::hir
