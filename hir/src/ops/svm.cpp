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

/// |x - v|^2 = |x|^2 + |v|^2 - 2 x·v, which rounding must not make negative
OutletId square_distances(Builder& b, OutletId x, OutletId vectors, OutletId products) {
  const OutletId norms = b.one(Transpose{}, {sums_of_squares(b, vectors)});
  const OutletId sums = add(b, sums_of_squares(b, x), norms);
  const OutletId distances = sub(b, sums, mul(b, products, 2));
  return binary(b, BinaryOp::max, distances, 0);
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

/// The kernel of each row with each support vector: f64[N, supports].
OutletId kernel_values(Builder& b, const SvmKernel& kernel, OutletId x, const Tensor& support) {
  const OutletId vectors = b.constant(support);
  const OutletId products = b.one(MatMul{.transpose_b = true}, {x, vectors});
  const auto affine = [&] { return add(b, mul(b, products, kernel.gamma), kernel.coef0); };
  switch (kernel.type) {
    case KernelType::linear:
      return products;
    case KernelType::poly:
      return power(b, affine(), kernel.degree);
    case KernelType::sigmoid:
      return unary(b, UnaryOp::tanh, affine());
    case KernelType::rbf:
      return unary(b, UnaryOp::exp,
                   mul(b, square_distances(b, x, vectors, products), -kernel.gamma));
  }
  fail(ErrorKind::internal, "a kernel that is unknown");
}

/// The sums of the kernels of each row with all support vectors by their weights, f64[supports, n].
/// A linear kernel has x (vectors^T weights), so that few numbers are left of all vectors.
OutletId weighted_kernels(Builder& b, const SvmKernel& kernel, OutletId x, const Tensor& vectors,
                          const Tensor& weights) {
  if (kernel.type != KernelType::linear)
    return b.one(MatMul{}, {kernel_values(b, kernel, x, vectors), b.constant(weights)});
  const TensorList of_features =
      MatMul{.transpose_a = true}.eval(std::vector<Tensor>{vectors, weights});
  return b.one(MatMul{}, {x, b.constant(of_features[0])});
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
  const OutletId x = rows_of(b, in[0], DatumType::f64);
  const OutletId sums = vectors.size() == 0 ? b.one(MatMul{}, {x, b.constant(coefficients)})
                                            : weighted_kernels(b, kernel, x, vectors, coefficients);
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
  const OutletId x = rows_of(b, in[0], DatumType::f64);
  const auto in_f32 = [&](OutletId scores) {
    return cast_to(b, transformed(b, scores, transform), DatumType::f32);
  };
  if (vectors.size() == 0) {
    const OutletId products = b.one(MatMul{.transpose_b = true}, {x, b.constant(coefficients)});
    const OutletId scores = add(b, products, rho[0]);
    return {chosen_label(b, scores, labels), in_f32(scores)};
  }
  const std::size_t classes = vectors_per_class.size(), duels = rho.size();
  const OutletId scores =
      add(b, weighted_kernels(b, kernel, x, vectors, duel_weights(*this, duels)), row_of(b, rho));
  const OutletId label = chosen_label(b, votes_of(b, scores, classes, duels), labels);
  if (!prob_a.empty()) return {label, in_f32(probabilities(b, *this, scores))};
  const bool is_doubled = duels == 1 && transform != PostTransform::probit;
  return {label, in_f32(is_doubled ? both_signs(b, scores) : scores)};
}

}  // namespace strata::hir
