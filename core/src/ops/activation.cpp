#include "strata/core/ops/activation.h"

#include <cmath>

#include "ops/activation_function.h"
#include "ops/number_view.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

struct Row {
  ActivationKind op;
  ActivationFunction of;
};

constexpr Row kRows[] = {
    {ActivationKind::celu,
     [](double x, double a, double) { return x > 0 ? x : a * std::expm1(x / a); }},
    {ActivationKind::elu, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {ActivationKind::hard_sigmoid,
     [](double x, double a, double b) {
       const double y = a * x + b;
       return std::isnan(y) ? y : std::fmin(std::fmax(y, 0), 1);
     }},
    {ActivationKind::leaky_relu, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {ActivationKind::selu,
     [](double x, double a, double b) { return b * (x <= 0 ? a * std::expm1(x) : x); }},
    {ActivationKind::shrink,
     [](double x, double a, double b) { return x < -a  ? x + b
                                               : x > a ? x - b
                                                       : 0; }},
    {ActivationKind::swish, [](double x, double a, double) { return x / (1 + std::exp(-a * x)); }},
    {ActivationKind::thresholded_relu, [](double x, double a, double) { return x > a ? x : 0; }},
};

}  // namespace

ActivationFunction activation_function(ActivationKind op) { return row_of(kRows, op).of; }

std::string Activation::display_name() const { return title_case(name_of(op)); }

FactList Activation::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 1, "(C1) ", called, " takes 1 input, ", in.size(), " given");
  const NumberKind kind = kind_of(in[0].dtype);
  const bool is_whole = kind == NumberKind::whole || kind == NumberKind::natural;
  check(kind == NumberKind::real || (is_whole && op == ActivationKind::shrink), "(C2) ", called,
        " is not defined on ", in[0].dtype);
  return {Fact::tensor(in[0].dtype, in[0].shape)};
}

TensorList Activation::eval(Tensors in) const {
  const ActivationFunction function = activation_function(op);
  // Integers (of shrink) are computed as floats too.
  const Tensor x = is_float(in[0].dtype()) ? in[0] : cast(in[0], DatumType::f64);
  MutableTensor out(x.dtype(), x.shape());
  const NumberView<double> from(x);
  const MutableNumberView<double> to(out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i)
    to.set(i, function(from[i], alpha, beta));
  return {cast(std::move(out).freeze(), in[0].dtype())};
}

}  // namespace strata
