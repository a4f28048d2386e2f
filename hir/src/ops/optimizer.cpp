#include "strata/hir/ops/optimizer.h"

#include "ops/arithmetic.h"
#include "strata/core/ops/select.h"

namespace strata::hir {
namespace {

constexpr std::size_t kFirstVariable = 2;

std::size_t variables(std::size_t inputs, std::size_t groups) {
  const std::size_t tensors = inputs - kFirstVariable;
  check(inputs > kFirstVariable && tensors % groups == 0, "inputs of ", tensors, " tensors are no ",
        groups, " groups");
  return tensors / groups;
}

/// All tensors of a variable are of one type and shape.
void optimizer_rules(Rules& r, std::size_t groups) {
  const std::size_t count = variables(r.input_count(), groups);
  const auto same = [&](const PortProxy& port, std::size_t number) {
    const auto variable = r.input(kFirstVariable + number % count, "X");
    r.require(port.dtype == variable.dtype);
    r.require(port.shape == variable.shape);
  };
  for (std::size_t i = count; i < count * groups; ++i)
    same(r.input(kFirstVariable + i, "input"), i);
  for (std::size_t i = 0; i < r.output_count() && i < count * (groups - 1); ++i)
    same(r.output(i, "output"), i);
}

/// The tensors of one variable, and the scalars in its type.
struct Variable {
  OutletId rate, steps, is_later_step;
  OutletIds tensors;
  const OutletId& value() const { return tensors[0]; }
  const OutletId& gradient() const { return tensors[1]; }
};

/// Runs `step` for each variable; it gives the new value and what follows it.
template <class Step>
OutletIds for_each_variable(Builder& b, const OutletIds& in, std::size_t groups, Step&& step) {
  const std::size_t count = variables(in.size(), groups);
  const OutletId is_later_step = binary(b, BinaryOp::greater, in[1], 0);
  OutletIds out(count * (groups - 1), kAbsent);
  for (std::size_t i = 0; i < count; ++i) {
    Variable v;
    for (std::size_t g = 0; g < groups; ++g)
      v.tensors.push_back(in[kFirstVariable + g * count + i]);
    const DatumType type = b.fact(v.value()).dtype;
    v.rate = cast_to(b, in[0], type);
    v.steps = cast_to(b, in[1], type);
    v.is_later_step = is_later_step;
    const OutletIds updated = step(v);
    for (std::size_t g = 0; g < updated.size(); ++g) out[g * count + i] = updated[g];
  }
  return out;
}

/// gradient + coefficient * value
OutletId regularized(Builder& b, const Variable& v, double coefficient) {
  return add(b, v.gradient(), mul(b, v.value(), coefficient));
}

/// sqrt(x) + epsilon
OutletId root_plus(Builder& b, OutletId x, double epsilon) {
  return add(b, unary(b, UnaryOp::sqrt, x), epsilon);
}

/// 1 - base^steps
OutletId bias_correction(Builder& b, const Variable& v, double base) {
  const DatumType type = b.fact(v.steps).dtype;
  return one_minus(b, binary(b, BinaryOp::pow, b.scalar(base, type), v.steps));
}

}  // namespace

void Momentum::rules(Rules& r) const { optimizer_rules(r, 3); }

OutletIds Momentum::wire(Builder& b, const OutletIds& in) const {
  return for_each_variable(b, in, 3, [&](const Variable& v) -> OutletIds {
    const DatumType type = b.fact(v.value()).dtype;
    const OutletId g = regularized(b, v, norm_coefficient);
    const OutletId gradient_factor =
        b.one(Select{}, {v.is_later_step, b.scalar(beta, type), b.scalar(1, type)});
    const OutletId momentum = add(b, mul(b, v.tensors[2], alpha), mul(b, gradient_factor, g));
    const OutletId direction =
        mode == MomentumMode::standard ? momentum : add(b, g, mul(b, momentum, alpha));
    return {sub(b, v.value(), mul(b, v.rate, direction)), momentum};
  });
}

void Adagrad::rules(Rules& r) const { optimizer_rules(r, 3); }

OutletIds Adagrad::wire(Builder& b, const OutletIds& in) const {
  return for_each_variable(b, in, 3, [&](const Variable& v) -> OutletIds {
    const OutletId decay = add(b, mul(b, v.steps, decay_factor), 1);
    const OutletId rate = div(b, v.rate, decay);
    const OutletId g = regularized(b, v, norm_coefficient);
    const OutletId squares = add(b, v.tensors[2], mul(b, g, g));
    const OutletId change = div(b, mul(b, rate, g), root_plus(b, squares, epsilon));
    return {sub(b, v.value(), change), squares};
  });
}

void Adam::rules(Rules& r) const { optimizer_rules(r, 4); }

OutletIds Adam::wire(Builder& b, const OutletIds& in) const {
  return for_each_variable(b, in, 4, [&](const Variable& v) -> OutletIds {
    const OutletId g = regularized(b, v, norm_coefficient);
    const OutletId mean = add(b, mul(b, v.tensors[2], alpha), mul(b, g, 1 - alpha));
    const OutletId squares = add(b, mul(b, v.tensors[3], beta), mul(b, mul(b, g, g), 1 - beta));
    const OutletId corrected =
        div(b, mul(b, v.rate, unary(b, UnaryOp::sqrt, bias_correction(b, v, beta))),
            bias_correction(b, v, alpha));
    const OutletId rate = b.one(Select{}, {v.is_later_step, corrected, v.rate});
    const OutletId change = div(b, mul(b, rate, mean), root_plus(b, squares, epsilon));
    const OutletId value = sub(b, v.value(), change);
    return {mul(b, value, 1 - norm_coefficient_post), mean, squares};
  });
}

}  // namespace strata::hir
