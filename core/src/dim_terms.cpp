#include "dim_terms.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "strata/core/error.h"
#include "strata/core/hash_index.h"

namespace strata {
namespace {

constexpr std::size_t kMaxTerms = 256;
constexpr std::size_t kMaxWeight = 4096;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxDegree = 32;

void check_size(bool fits) { require(fits, ErrorKind::limit, "dimension expression is too large"); }

struct AtomLess {
  bool operator()(const AtomRef& a, const AtomRef& b) const { return compare(*a, *b) < 0; }
};
struct MonomialLess {
  bool operator()(const Monomial& a, const Monomial& b) const { return compare(a, b) < 0; }
};

/// Orders the larger number first.
int compare_down(std::int64_t a, std::int64_t b) { return a > b ? -1 : a < b ? 1 : 0; }

}  // namespace

int compare(const DimAtom& a, const DimAtom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (const int order = a.name.compare(b.name)) return order;
  const std::size_t shared = std::min(a.operands.size(), b.operands.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const int order = compare(a.operands[i], b.operands[i])) return order;
  }
  if (a.operands.size() == b.operands.size()) return 0;
  return a.operands.size() < b.operands.size() ? -1 : 1;
}

int compare(const Monomial& a, const Monomial& b) {
  if (a.begin() == b.begin()) return 0;
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(*a[i], *b[i])) return order;
  }
  return 0;
}

int compare(const Dim& a, const Dim& b) {
  const DimTerms* x = DimTerms::get(a);
  const DimTerms* y = DimTerms::get(b);
  if (x == y) return x ? 0 : compare_down(*a.constant(), *b.constant());
  if (!x || !y) return x ? -1 : 1;
  const std::size_t shared = std::min(x->terms.size(), y->terms.size());
  for (std::size_t i = 0; i < shared; ++i) {
    const DimTerm& s = x->terms[i];
    const DimTerm& t = y->terms[i];
    if (const int order = compare(s.monomial, t.monomial)) return order;
    if (const int order = compare_down(s.coefficient, t.coefficient)) return order;
  }
  if (x->terms.size() == y->terms.size()) return 0;
  return x->terms.size() > y->terms.size() ? -1 : 1;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  check(!__builtin_add_overflow(a, b, &sum), "dimension ", a, " + ", b, " overflows");
  return sum;
}

std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  check(!__builtin_mul_overflow(a, b, &result), "dimension ", a, " * ", b, " overflows");
  return result;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  check(b != 0, "dimension ", a, " is divided by 0");
  check(b != -1 || a != std::numeric_limits<std::int64_t>::min(), "dimension ", a, " / ", b,
        " overflows");
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Terms::Terms(const Dim& dim) {
  if (const DimTerms* node = DimTerms::get(dim)) {
    terms_ = node->terms;
  } else if (const std::int64_t value = *dim.constant(); value != 0) {
    integer_.coefficient = value;
    terms_ = {&integer_, 1};
  }
}

Dim DimTerms::dim(Polynomial terms) {
  if (terms.empty()) return Dim();
  if (terms.size() == 1 && terms.front().monomial.empty()) return Dim(terms.front().coefficient);
  check_size(terms.size() <= kMaxTerms);
  auto node = std::make_shared<DimTerms>();
  for (const DimTerm& term : terms) {
    check_size(term.monomial.size() <= kMaxDegree);
    node->weight += 1;
    node->hash = mixed_hash(node->hash, static_cast<std::size_t>(term.coefficient));
    for (const AtomRef& atom : term.monomial) {
      node->weight += atom->weight;
      node->depth = std::max(node->depth, atom->depth);
      node->hash = mixed_hash(node->hash, atom->hash);
    }
  }
  check_size(node->weight <= kMaxWeight);
  node->terms = std::move(terms);
  Dim result;
  result.terms_ = std::move(node);
  return result;
}

Polynomial collect(Polynomial terms) {
  std::sort(terms.begin(), terms.end(),
            [](const DimTerm& a, const DimTerm& b) { return compare(a.monomial, b.monomial) < 0; });
  Polynomial out;
  for (DimTerm& term : terms) {
    if (!out.empty() && compare(out.back().monomial, term.monomial) == 0) {
      out.back().coefficient = checked_add(out.back().coefficient, term.coefficient);
    } else {
      if (!out.empty() && out.back().coefficient == 0) out.pop_back();
      out.push_back(std::move(term));
    }
  }
  if (!out.empty() && out.back().coefficient == 0) out.pop_back();
  return out;
}

Polynomial sum_of(std::span<const DimTerm> a, std::span<const DimTerm> b, std::int64_t factor) {
  Polynomial out;
  out.reserve(a.size() + b.size());
  auto left = a.begin(), right = b.begin();
  while (left != a.end() || right != b.end()) {
    const int order = left == a.end()    ? 1
                      : right == b.end() ? -1
                                         : compare(left->monomial, right->monomial);
    std::int64_t coefficient = order <= 0 ? left->coefficient : 0;
    if (order >= 0) coefficient = checked_add(coefficient, checked_mul(right->coefficient, factor));
    if (coefficient != 0)
      out.push_back({coefficient, order <= 0 ? left->monomial : right->monomial});
    left += order <= 0;
    right += order >= 0;
  }
  return out;
}

Polynomial scaled(std::span<const DimTerm> terms, std::int64_t factor) {
  return sum_of({}, terms, factor);
}

Polynomial divided(std::span<const DimTerm> terms, std::int64_t factor) {
  Polynomial out(terms.begin(), terms.end());
  for (DimTerm& term : out) term.coefficient = floor_quotient(term.coefficient, factor);
  return out;
}

std::int64_t content(std::span<const DimTerm> terms) {
  std::uint64_t common = 0;
  for (const DimTerm& term : terms) {
    const auto bits = static_cast<std::uint64_t>(term.coefficient);
    common = std::gcd(common, term.coefficient < 0 ? 0 - bits : bits);
  }
  // Only coefficients that are all the least int64 have no divisor in range; 1 divides them too.
  return common > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
             ? 1
             : static_cast<std::int64_t>(common);
}

std::int64_t constant_term(std::span<const DimTerm> terms) {
  return !terms.empty() && terms.back().monomial.empty() ? terms.back().coefficient : 0;
}

std::span<const DimTerm> without_constant(std::span<const DimTerm> terms) {
  const bool has = !terms.empty() && terms.back().monomial.empty();
  return terms.first(terms.size() - has);
}

Monomial product(const Monomial& a, const Monomial& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  std::vector<AtomRef> out;
  out.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), AtomLess{});
  check_size(out.size() <= kMaxDegree);
  return Monomial(std::move(out));
}

bool divides(const Monomial& divisor, const Monomial& monomial) {
  return std::includes(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(),
                       AtomLess{});
}

Monomial quotient(const Monomial& monomial, const Monomial& divisor) {
  if (divisor.empty()) return monomial;
  std::vector<AtomRef> out;
  std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(),
                      std::back_inserter(out), AtomLess{});
  return Monomial(std::move(out));
}

Division divide(const Dim& a, std::int64_t b) {
  Polynomial whole, rest;
  for (const DimTerm& term : Terms(a)) {
    const std::int64_t times = floor_quotient(term.coefficient, b);
    const std::int64_t left = checked_add(term.coefficient, checked_mul(checked_mul(times, -1), b));
    if (times != 0) whole.push_back({times, term.monomial});
    if (left != 0) rest.push_back({left, term.monomial});
  }
  return {DimTerms::dim(std::move(whole)), DimTerms::dim(std::move(rest))};
}

Division divide(const Dim& a, const Dim& b) {
  if (b.is_constant()) return divide(a, *b.constant());
  const Terms divisor(b);
  const DimTerm& leading = divisor.front();
  std::map<Monomial, std::int64_t, MonomialLess> work;
  for (const DimTerm& term : Terms(a)) work.emplace(term.monomial, term.coefficient);
  Polynomial whole;
  Polynomial rest;
  // Subtracting a multiple of b changes only the present term and later ones.
  for (const auto& [monomial, coefficient] : work) {
    const std::int64_t times =
        divides(leading.monomial, monomial) ? floor_quotient(coefficient, leading.coefficient) : 0;
    if (times != 0) {
      const Monomial factor = quotient(monomial, leading.monomial);
      for (const DimTerm& term : divisor) {
        std::int64_t& slot = work[product(factor, term.monomial)];
        slot = checked_add(slot, checked_mul(checked_mul(times, -1), term.coefficient));
      }
      whole.push_back({times, factor});
    }
    if (coefficient != 0) rest.push_back({coefficient, monomial});
    check_size(whole.size() <= kMaxTerms && work.size() <= 4 * kMaxTerms);
  }
  return {DimTerms::dim(collect(std::move(whole))), DimTerms::dim(std::move(rest))};
}

Dim atom_dim(AtomKind kind, std::string name, std::vector<Dim> operands) {
  DimAtom atom{kind, std::move(name), std::move(operands)};
  atom.hash = mixed_hash(name_hash(atom.name), static_cast<std::size_t>(kind));
  for (const Dim& operand : atom.operands) {
    atom.weight += DimTerms::weight_of(operand);
    atom.depth = std::max(atom.depth, 1 + DimTerms::depth_of(operand));
    atom.hash = mixed_hash(atom.hash, operand.hash());
  }
  check_size(atom.depth <= kMaxDepth);
  Polynomial terms;
  terms.push_back({1, Monomial(std::make_shared<const DimAtom>(std::move(atom)))});
  return DimTerms::dim(std::move(terms));
}

}  // namespace strata
