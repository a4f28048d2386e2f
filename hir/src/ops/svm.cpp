#include "strata/hir/ops/svm.h"

#include <cmath>

#include "ops/arithmetic.h"
#include "ops/post_transform.h"
#include "strata/core/ops/couple_pairs.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/select.h"
#include "strata/core/ops/transpose.h"

namespace strata::hir {
namespace {

constexpr double kLeastProbability = 1e-7;

OutletId row_of(Builder& b, const std::vector<double>& values) {
  return b.constant(Tensor::vector<double>(std::span<const double>(values)));
}

OutletId sums_of_squares(Builder& b, OutletId rows) {
  return reduce(b, Reduction::sum_square, rows, b.integers({-1}));
}

/// With 1e100 for infinity, whose square is finite: a row that is infinitely far from all vectors
/// has no distance that is NaN.
OutletId finite(Builder& b, OutletId x) {
  constexpr double kFar = 1e100;
  return binary(b, BinaryOp::min, binary(b, BinaryOp::max, x, -kFar), kFar);
}

/// -gamma |x - v|^2 of each row and each support vector, f64[N, supports], as
/// 2 gamma x·v - gamma |x|^2 - gamma |v|^2: in f64, as numbers far greater than their difference
/// cancel out. Rounding must not give it another sign.
OutletId scaled_distances(Builder& b, OutletId x, const Tensor& support, double gamma) {
  const OutletId vectors = b.constant(support);
  const OutletId products = b.one(MatMul{.transpose_b = true}, {x, mul(b, vectors, 2 * gamma)});
  const auto norms = [&](OutletId rows) { return mul(b, sums_of_squares(b, rows), -gamma); };
  const OutletId sums = add(b, norms(x), b.one(Transpose{}, {norms(vectors)}));
  return binary(b, gamma < 0 ? BinaryOp::max : BinaryOp::min, add(b, products, sums), 0);
}

/// x^degree; of a small whole degree as products, which take a fraction of the time.
OutletId power(Builder& b, OutletId x, double degree) {
  constexpr double kMost = 4;
  if (degree < 1 || degree > kMost || degree != std::floor(degree))
    return binary(b, BinaryOp::pow, x, degree);
  OutletId out = x;
  for (double i = 1; i < degree; ++i) out = mul(b, out, x);
  return out;
}

/// The kernel of each row of `in` with each support vector, f32[N, supports]: floats have the bits
/// that attributes and outputs have, and take a fraction of the time.
OutletId kernel_values(Builder& b, const SvmKernel& kernel, OutletId in, const Tensor& support) {
  if (kernel.type == KernelType::rbf) {
    const OutletId exponents =
        scaled_distances(b, finite(b, rows_of(b, in, DatumType::f64)), support, kernel.gamma);
    return unary(b, UnaryOp::exp, cast_to(b, exponents, DatumType::f32));
  }
  const OutletId vectors = b.constant(cast(support, DatumType::f32));
  const OutletId products =
      b.one(MatMul{.transpose_b = true}, {rows_of(b, in, DatumType::f32), vectors});
  const OutletId affine = add(b, mul(b, products, kernel.gamma), kernel.coef0);
  return kernel.type == KernelType::poly ? power(b, affine, kernel.degree)
                                         : unary(b, UnaryOp::tanh, affine);
}

/// The sums of the kernels of each row of `in` with all support vectors by their weights, f64[N, n].
/// A linear kernel has x (vectors^T weights), so that few numbers are left of all vectors.
OutletId weighted_kernels(Builder& b, const SvmKernel& kernel, OutletId in, const Tensor& vectors,
                          const Tensor& weights) {
  if (kernel.type == KernelType::linear) {
    const TensorList of_features =
        MatMul{.transpose_a = true}.eval(std::vector<Tensor>{vectors, weights});
    return b.one(MatMul{}, {rows_of(b, in, DatumType::f64), b.constant(of_features[0])});
  }
  const OutletId sums = b.one(
      MatMul{}, {kernel_values(b, kernel, in, vectors), b.constant(cast(weights, DatumType::f32))});
  return cast_to(b, sums, DatumType::f64);
}

/// The duels i < j of `classes` classes, in order.
template <class Visit>
void for_each_duel(std::size_t classes, Visit&& visit) {
  std::size_t duel = 0;
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j) visit(duel++, i, j);
}

/// What each support vector adds to each duel, f64[supports, duels]: those of class i by row j - 1
/// of the coefficients, those of class j by row i.
Tensor duel_weights(const SvmClassifier& op, std::size_t duels) {
  const std::size_t classes = op.vectors_per_class.size();
  const auto supports = static_cast<std::size_t>(op.vectors.shape()[0]);
  std::vector<std::size_t> starts(classes + 1, 0);
  for (std::size_t i = 0; i < classes; ++i)
    starts[i + 1] = starts[i] + static_cast<std::size_t>(op.vectors_per_class[i]);
  const auto coefficients = op.coefficients.as<double>();
  MutableTensor out = MutableTensor::zeros(
      DatumType::f64, {static_cast<std::int64_t>(supports), static_cast<std::int64_t>(duels)});
  const auto weights = out.as<double>();
  for_each_duel(classes, [&](std::size_t duel, std::size_t i, std::size_t j) {
    for (std::size_t v = starts[i]; v < starts[i + 1]; ++v)
      weights[v * duels + duel] = coefficients[(j - 1) * supports + v];
    for (std::size_t v = starts[j]; v < starts[j + 1]; ++v)
      weights[v * duels + duel] = coefficients[i * supports + v];
  });
  return std::move(out).freeze();
}

/// How often each class wins, f64[N, classes]: a duel goes to its first class when its score is
/// above 0, else to its second.
OutletId votes_of(Builder& b, OutletId scores, std::size_t classes, std::size_t duels) {
  MutableTensor moves = MutableTensor::zeros(
      DatumType::f64, {static_cast<std::int64_t>(duels), static_cast<std::int64_t>(classes)});
  std::vector<double> when_all_are_lost(classes, 0);
  for_each_duel(classes, [&](std::size_t duel, std::size_t i, std::size_t j) {
    moves.as<double>()[duel * classes + i] = 1;
    moves.as<double>()[duel * classes + j] = -1;
    ++when_all_are_lost[j];
  });
  const OutletId won = cast_to(b, binary(b, BinaryOp::greater, scores, 0), DatumType::f64);
  return add(b, b.one(MatMul{}, {won, b.constant(std::move(moves).freeze())}),
             row_of(b, when_all_are_lost));
}

/// 1 - sigmoid(a s + b) for each duel, kept off 0 and 1, joined to probabilities of the classes.
OutletId probabilities(Builder& b, const SvmClassifier& op, OutletId scores) {
  const OutletId exponent = add(b, mul(b, scores, row_of(b, op.prob_a)), row_of(b, op.prob_b));
  const OutletId pairs = unary(b, UnaryOp::sigmoid, unary(b, UnaryOp::neg, exponent));
  const OutletId bounded = binary(
      b, BinaryOp::min, binary(b, BinaryOp::max, pairs, kLeastProbability), 1 - kLeastProbability);
  return b.one(CouplePairs{static_cast<std::int64_t>(op.vectors_per_class.size())}, {bounded});
}

}  // namespace

void SvmRegressor::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == DatumType::f32);
  r.require(r.output(0, "Y").rank == 2);
  const std::int64_t features = vectors.size() == 0 ? coefficients.shape()[0] : vectors.shape()[1];
  r.require(r.input(0, "X").shape[-1] == Dim(features));
  require_rows(r);
}

OutletIds SvmRegressor::wire(Builder& b, const OutletIds& in) const {
  const OutletId sums =
      vectors.size() == 0
          ? b.one(MatMul{}, {rows_of(b, in[0], DatumType::f64), b.constant(coefficients)})
          : weighted_kernels(b, kernel, in[0], vectors, coefficients);
  OutletId score = add(b, sums, rho);
  if (one_class)
    score = b.one(Select{}, {binary(b, BinaryOp::greater, score, 0), b.scalar(1, DatumType::f64),
                             b.scalar(-1, DatumType::f64)});
  return {cast_to(b, transformed(b, score, transform), DatumType::f32)};
}

void SvmClassifier::rules(Rules& r) const {
  r.require(r.output(0, "Y").dtype == labels.dtype());
  r.require(r.output(0, "Y").rank == 1);
  const Tensor& rows = vectors.size() == 0 ? coefficients : vectors;
  r.require(r.input(0, "X").shape[-1] == Dim(rows.shape()[1]));
  require_rows(r);
}

OutletIds SvmClassifier::wire(Builder& b, const OutletIds& in) const {
  const auto in_f32 = [&](OutletId scores) {
    return cast_to(b, transformed(b, scores, transform), DatumType::f32);
  };
  if (vectors.size() == 0) {
    const OutletId products = b.one(MatMul{.transpose_b = true},
                                    {rows_of(b, in[0], DatumType::f64), b.constant(coefficients)});
    const OutletId scores = add(b, products, rho[0]);
    return {chosen_label(b, scores, labels), in_f32(scores)};
  }
  const std::size_t classes = vectors_per_class.size(), duels = rho.size();
  const OutletId scores = add(
      b, weighted_kernels(b, kernel, in[0], vectors, duel_weights(*this, duels)), row_of(b, rho));
  const OutletId label = chosen_label(b, votes_of(b, scores, classes, duels), labels);
  if (!prob_a.empty()) return {label, in_f32(probabilities(b, *this, scores))};
  const bool is_doubled = duels == 1 && transform != PostTransform::probit;
  return {label, in_f32(is_doubled ? both_signs(b, scores) : scores)};
}

}  // namespace strata::hir
