#pragma once

#include <algorithm>
#include <vector>

#include "strata/core/ops/einsum.h"

/// What the reference of Einsum and its rewriting share: axes by their labels.
namespace strata {

using Labels = std::vector<int>;

inline bool contains(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

Labels joined(Labels first, const Labels& second);
bool has_twice(const Labels& labels);
/// `term` with a label below all letters for each of the `axes` that its ellipsis stands for, which
/// are aligned at the last.
Labels expanded(const Labels& term, std::size_t axes);

/// The labels of two operands, each once, by what becomes of them: both have and the output keeps,
/// one has and the output keeps, both have and are summed up. Those that one has and nobody keeps
/// are in none.
struct PairLabels {
  Labels batch, left, right, summed;
};
PairLabels classify(const Labels& left, const Labels& right, const Labels& kept);

}  // namespace strata
