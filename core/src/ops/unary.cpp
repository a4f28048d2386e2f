#include "strata/core/ops/unary.h"

#include <cmath>
#include <numbers>

#include "ops/number_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// A function on each kind of number it is defined on; `test` is one on floats that gives a bool.
struct Row {
  UnaryOp op;
  double (*real)(double) = nullptr;
  std::int64_t (*whole)(std::int64_t) = nullptr;
  std::uint64_t (*natural)(std::uint64_t) = nullptr;
  bool (*truth)(bool) = nullptr;
  bool (*test)(double) = nullptr;
  Dim (*symbolic)(const Dim&) = nullptr;
};

/// Negation that wraps.
constexpr std::int64_t negated(std::int64_t x) {
  return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) {
  return std::log1p(std::exp(-std::fabs(x))) + (x > 0 || std::isnan(x) ? x : 0);
}
double hard_swish(double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

constexpr Row kRows[] = {
    {.op = UnaryOp::abs,
     .real = [](double x) { return std::fabs(x); },
     .whole = [](std::int64_t x) { return x < 0 ? negated(x) : x; },
     .natural = [](std::uint64_t x) { return x; },
     .symbolic = [](const Dim& x) { return max(x, -x); }},
    {.op = UnaryOp::acos, .real = [](double x) { return std::acos(x); }},
    {.op = UnaryOp::acosh, .real = [](double x) { return std::acosh(x); }},
    {.op = UnaryOp::asin, .real = [](double x) { return std::asin(x); }},
    {.op = UnaryOp::asinh, .real = [](double x) { return std::asinh(x); }},
    {.op = UnaryOp::atan, .real = [](double x) { return std::atan(x); }},
    {.op = UnaryOp::atanh, .real = [](double x) { return std::atanh(x); }},
    {.op = UnaryOp::bitwise_not,
     .whole = [](std::int64_t x) { return ~x; },
     .natural = [](std::uint64_t x) { return ~x; }},
    {.op = UnaryOp::ceil, .real = [](double x) { return std::ceil(x); }},
    {.op = UnaryOp::cos, .real = [](double x) { return std::cos(x); }},
    {.op = UnaryOp::cosh, .real = [](double x) { return std::cosh(x); }},
    {.op = UnaryOp::erf, .real = [](double x) { return std::erf(x); }},
    {.op = UnaryOp::exp, .real = [](double x) { return std::exp(x); }},
    {.op = UnaryOp::floor, .real = [](double x) { return std::floor(x); }},
    {.op = UnaryOp::gelu, .real = gelu},
    {.op = UnaryOp::gelu_tanh, .real = gelu_tanh},
    {.op = UnaryOp::hard_swish, .real = [](double x) { return std::isnan(x) ? x : hard_swish(x); }},
    {.op = UnaryOp::is_inf, .test = [](double x) { return std::isinf(x); }},
    {.op = UnaryOp::is_nan, .test = [](double x) { return std::isnan(x); }},
    {.op = UnaryOp::log, .real = [](double x) { return std::log(x); }},
    {.op = UnaryOp::mish, .real = [](double x) { return x * std::tanh(softplus(x)); }},
    {.op = UnaryOp::neg,
     .real = [](double x) { return -x; },
     .whole = negated,
     .symbolic = [](const Dim& x) { return -x; }},
    {.op = UnaryOp::reciprocal, .real = [](double x) { return 1 / x; }},
    {.op = UnaryOp::relu,
     .real = [](double x) { return x <= 0 ? 0 : x; },
     .whole = [](std::int64_t x) { return x < 0 ? 0 : x; },
     .natural = [](std::uint64_t x) { return x; },
     .symbolic = [](const Dim& x) { return max(x, Dim(0)); }},
    {.op = UnaryOp::round, .real = [](double x) { return std::nearbyint(x); }},
    {.op = UnaryOp::rsqrt, .real = [](double x) { return 1 / std::sqrt(x); }},
    {.op = UnaryOp::sigmoid, .real = sigmoid},
    {.op = UnaryOp::sign,
     .real = [](double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); },
     .whole = [](std::int64_t x) { return static_cast<std::int64_t>((x > 0) - (x < 0)); },
     .natural = [](std::uint64_t x) { return static_cast<std::uint64_t>(x > 0); }},
    {.op = UnaryOp::silu, .real = [](double x) { return x * sigmoid(x); }},
    {.op = UnaryOp::sin, .real = [](double x) { return std::sin(x); }},
    {.op = UnaryOp::sinh, .real = [](double x) { return std::sinh(x); }},
    {.op = UnaryOp::softplus, .real = softplus},
    {.op = UnaryOp::softsign, .real = [](double x) { return x / (1 + std::fabs(x)); }},
    {.op = UnaryOp::sqrt, .real = [](double x) { return std::sqrt(x); }},
    {.op = UnaryOp::square,
     .real = [](double x) { return x * x; },
     .whole =
         [](std::int64_t x) {
           return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) *
                                            static_cast<std::uint64_t>(x));
         },
     .natural = [](std::uint64_t x) { return x * x; },
     .symbolic = [](const Dim& x) { return x * x; }},
    {.op = UnaryOp::tan, .real = [](double x) { return std::tan(x); }},
    {.op = UnaryOp::tanh, .real = [](double x) { return std::tanh(x); }},
    {.op = UnaryOp::truth_not, .truth = [](bool x) { return !x; }},
};

bool is_defined_on(const Row& row, DatumType type) {
  switch (kind_of(type)) {
    case NumberKind::real:
      return row.real != nullptr || row.test != nullptr;
    case NumberKind::whole:
      return row.whole != nullptr;
    case NumberKind::natural:
      return row.natural != nullptr;
    case NumberKind::truth:
      return row.truth != nullptr;
    case NumberKind::symbolic:
      return row.symbolic != nullptr;
    case NumberKind::none:
      return false;
  }
  return false;
}

/// Each element of `in` through `function`, which takes the widest type of its kind.
template <class Wide>
Tensor mapped(const Tensor& in, Wide (*function)(Wide)) {
  MutableTensor out(in.dtype(), in.shape());
  visit_kind<Wide>(in.dtype(), [&]<class T>(TypeTag<T>) {
    std::ranges::transform(in.as<T>(), out.as<T>().begin(),
                           [&](T x) { return narrowed<T>(function(widened(x))); });
  });
  return std::move(out).freeze();
}

Tensor tested(const Tensor& in, bool (*test)(double)) {
  MutableTensor out(DatumType::boolean, in.shape());
  visit_kind<double>(in.dtype(), [&]<class T>(TypeTag<T>) {
    std::ranges::transform(in.as<T>(), out.as<bool>().begin(),
                           [&](T x) { return test(widened(x)); });
  });
  return std::move(out).freeze();
}

Tensor mapped_dims(const Tensor& in, Dim (*function)(const Dim&)) {
  MutableTensor out(DatumType::dim, in.shape());
  std::ranges::transform(in.as<Dim>(), out.as<Dim>().begin(), function);
  return std::move(out).freeze();
}

}  // namespace

std::string Unary::display_name() const { return title_case(name_of(op)); }

FactList Unary::output_facts(Facts in) const {
  check(in.size() == 1, "(C1) ", display_name(), " takes 1 input, ", in.size(), " given");
  const Row& row = row_of(kRows, op);
  check(is_defined_on(row, in[0].dtype), "(C2) ", display_name(), " is not defined on ",
        in[0].dtype);
  return {Fact::tensor(row.test ? DatumType::boolean : in[0].dtype, in[0].shape)};
}

TensorList Unary::eval(Tensors in) const {
  const Row& row = row_of(kRows, op);
  check_data(is_defined_on(row, in[0].dtype()), "(C2) ", display_name(), " is not defined on ",
             in[0].dtype());
  switch (kind_of(in[0].dtype())) {
    case NumberKind::real:
      return {row.test ? tested(in[0], row.test) : mapped(in[0], row.real)};
    case NumberKind::whole:
      return {mapped(in[0], row.whole)};
    case NumberKind::natural:
      return {mapped(in[0], row.natural)};
    case NumberKind::truth:
      return {mapped(in[0], row.truth)};
    default:
      return {mapped_dims(in[0], row.symbolic)};
  }
}

/// f(f(x)) -> x for neg, not, bitwise_not
Rewrite Unary::declutter(const NodeView& node) const {
  if (op != UnaryOp::neg && op != UnaryOp::truth_not && op != UnaryOp::bitwise_not)
    return no_change;
  const Unary* inner = node.producer_as<Unary>(0);
  if (!inner || inner->op != op) return no_change;
  return bypass(node, node.producer(0).input(0));
}

}  // namespace strata
