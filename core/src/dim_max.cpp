#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr std::size_t kMaxOperands = 32;

void check_count(std::size_t operands) {
  require(operands <= kMaxOperands, ErrorKind::limit, "dimension expression is too large");
}

bool holds_max(const Monomial& monomial) {
  return std::any_of(monomial.begin(), monomial.end(),
                     [](const AtomRef& atom) { return atom->kind == AtomKind::max; });
}

const DimTerm* nested_max(const Terms& terms) {
  for (const DimTerm& term : terms) {
    if (term.coefficient == 1 && term.monomial.size() == 1 && holds_max(term.monomial)) {
      return &term;
    }
  }
  return nullptr;
}

bool holds_nested_max(const Dim& dim) { return nested_max(Terms(dim)) != nullptr; }

std::int64_t common_factor(const std::vector<Dim>& operands) {
  std::int64_t factor = 0;
  for (const Dim& operand : operands) factor = std::gcd(factor, content(Terms(operand)));
  return factor;
}

/// max(max(a, b) + t, c) -> max(a+t, b+t, c)
std::vector<Dim> flattened(std::vector<Dim> pending) {
  std::vector<Dim> flat;
  while (!pending.empty()) {
    check_count(pending.size() + flat.size());
    const Dim operand = std::move(pending.back());
    pending.pop_back();
    const Terms terms(operand);
    const DimTerm* nested = nested_max(terms);
    if (!nested) {
      flat.push_back(operand);
      continue;
    }
    const Dim rest = operand - DimTerms::dim({*nested});
    for (const Dim& inner : nested->monomial.front()->operands) pending.push_back(inner + rest);
  }
  return flat;
}

/// Sorted, and of those that differ by an integer only the greatest.
std::vector<Dim> undominated(std::vector<Dim> operands) {
  struct Entry {
    Dim symbolic;
    std::int64_t constant;
  };
  std::vector<Entry> entries;
  for (const Dim& operand : operands) {
    const Terms terms(operand);
    const auto symbolic = without_constant(terms);
    entries.push_back({DimTerms::dim({symbolic.begin(), symbolic.end()}), constant_term(terms)});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const int order = compare(a.symbolic, b.symbolic);
    return order != 0 ? order < 0 : a.constant > b.constant;
  });
  const auto same = [](const Entry& a, const Entry& b) { return a.symbolic == b.symbolic; };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  std::vector<Dim> kept;
  for (const Entry& entry : entries) kept.push_back(entry.symbolic + entry.constant);
  std::sort(kept.begin(), kept.end(), [](const Dim& a, const Dim& b) { return compare(a, b) < 0; });
  return kept;
}

/// How much of `monomial` (whose least and greatest coefficients are given) belongs to the shift.
/// What holds a max is moved only where all operands share it, so that clamps such as
/// max(min(N,5)-2, 0) keep their form.
std::int64_t shifted_part(const Monomial& monomial, std::int64_t least, std::int64_t greatest) {
  return holds_max(monomial) && least != greatest ? 0 : least;
}

}  // namespace

Shifted normalise_shift(const std::vector<Dim>& operands) {
  Polynomial all;
  for (const Dim& operand : operands) {
    const Terms terms(operand);
    all.insert(all.end(), terms.begin(), terms.end());
  }
  std::sort(all.begin(), all.end(),
            [](const DimTerm& a, const DimTerm& b) { return compare(a.monomial, b.monomial) < 0; });
  Polynomial shift;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(), [&](const DimTerm& term) {
      return compare(term.monomial, first->monomial) != 0;
    });
    const auto [low, high] = std::minmax_element(
        first, last,
        [](const DimTerm& a, const DimTerm& b) { return a.coefficient < b.coefficient; });
    const bool everywhere = static_cast<std::size_t>(last - first) == operands.size();
    const std::int64_t least =
        everywhere ? low->coefficient : std::min<std::int64_t>(low->coefficient, 0);
    const std::int64_t greatest =
        everywhere ? high->coefficient : std::max<std::int64_t>(high->coefficient, 0);
    const std::int64_t part = shifted_part(first->monomial, least, greatest);
    if (part != 0) shift.push_back({part, first->monomial});
    first = last;
  }
  Shifted result{operands, DimTerms::dim(std::move(shift))};
  for (Dim& operand : result.operands) operand -= result.shift;
  return result;
}

Dim max_of(std::vector<Dim> operands) {
  check_count(operands.size());
  operands = undominated(std::move(operands));
  if (operands.size() == 1) return operands.front();

  // max(g*a + t, g*b + t) -> g*max(a, b) + t
  Shifted moved = normalise_shift(operands);
  const std::int64_t factor = common_factor(moved.operands);
  if (factor != 1 || moved.shift != Dim(0)) {
    for (Dim& operand : moved.operands) {
      operand = DimTerms::dim(divided(Terms(operand), factor));
    }
    return moved.shift + Dim(factor) * max_of(std::move(moved.operands));
  }
  if (std::any_of(operands.begin(), operands.end(), holds_nested_max)) {
    return max_of(flattened(std::move(operands)));
  }
  return atom_dim(AtomKind::max, {}, std::move(operands));
}

}  // namespace strata
