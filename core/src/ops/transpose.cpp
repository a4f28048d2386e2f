#include "strata/core/ops/transpose.h"

#include <algorithm>
#include <numeric>

#include "ops/movement.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

using Perm = std::vector<std::int64_t>;

bool is_identity(const Perm& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

bool is_permutation_of(const Perm& perm, std::size_t rank) {
  Perm sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  return sorted.size() == rank && is_identity(sorted);
}

/// The permutation that `perm` stands for at this rank.
Perm full_perm(const Perm& perm, std::size_t rank) {
  if (!perm.empty()) return perm;
  Perm out(rank);
  std::iota(out.rbegin(), out.rend(), 0);
  return out;
}

/// Transpose(Unsqueeze(x, axes), perm)   ->   Unsqueeze(Transpose(x, ..), ..)
Rewrite behind_unsqueeze(const NodeView& node, const Perm& perm) {
  const NodeView before = node.producer(0);
  if (!before.op().as<Unsqueeze>()) return no_change;
  const auto added = known_axes(before.input_fact(1), perm.size());
  if (!added) return no_change;
  Perm kept, axes;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    const auto own = static_cast<std::size_t>(perm[i]);
    const auto at = std::ranges::lower_bound(*added, own);
    if (at != added->end() && *at == own)
      axes.push_back(static_cast<std::int64_t>(i));
    else
      kept.push_back(perm[i] - (at - added->begin()));
  }
  Patch patch(node);
  const OutletId x = patch.wire_one("permuted", Transpose{kept}, {before.input(0)});
  const OutletId places = patch.constant("axes", Tensor::vector<std::int64_t>(axes));
  patch.shunt(node.output(), patch.wire_one("", Unsqueeze{}, {x, places}));
  return patch;
}

}  // namespace

FactList Transpose::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  if (!perm.empty())
    check(is_permutation_of(perm, perm.size()), "(C1) ", perm, " is no permutation");
  const ShapeFact& shape = in[0].shape;
  if (shape.is_open())
    return {Fact::tensor(in[0].dtype, perm.empty() ? ShapeFact::open() : fresh_shape(perm.size()))};
  check(perm.empty() || perm.size() == shape.rank(), "(C1) ", perm,
        " does not permute the axes of ", shape);
  std::vector<Dim> dims;
  dims.reserve(shape.rank());
  for (const std::int64_t axis : full_perm(perm, shape.rank()))
    dims.push_back(shape[static_cast<std::size_t>(axis)]);
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Transpose::eval(Tensors in) const {
  const Tensor& data = in[0];
  check_data(perm.empty() || perm.size() == data.rank(), "(C1) ", perm,
             " does not permute the axes of ", Span(data.shape()));
  const Shape from = row_major_strides(data.shape());
  Shape shape, strides;
  for (const std::int64_t axis : full_perm(perm, data.rank())) {
    shape.push_back(data.shape()[static_cast<std::size_t>(axis)]);
    strides.push_back(from[static_cast<std::size_t>(axis)]);
  }
  return {strided_copy(data, shape, strides)};
}

/// Transpose(x, identity)          ->  x
/// Transpose(Transpose(x, p), q)   ->  Transpose(x, p after q)
/// Transpose(Unsqueeze(x, a), p)   ->  Unsqueeze(Transpose(x, ..), ..)
Rewrite Transpose::declutter(const NodeView& node) const {
  const ShapeFact& shape = node.input_fact(0).shape;
  if (shape.is_open()) return no_change;
  const Perm outer = full_perm(perm, shape.rank());
  if (is_identity(outer)) return bypass(node, node.input(0));
  const Transpose* first = node.producer_as<Transpose>(0);
  if (!first) return behind_unsqueeze(node, outer);
  const Perm inner = full_perm(first->perm, shape.rank());
  Perm both;
  for (const std::int64_t axis : outer) both.push_back(inner[static_cast<std::size_t>(axis)]);
  return replace(node, Transpose{both}, {node.producer(0).input(0)});
}

}  // namespace strata
