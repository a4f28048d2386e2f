#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();   // no lower bound
constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();  // no upper bound

struct Interval {
  std::int64_t low = kLow;
  std::int64_t high = kHigh;
};

bool unbounded(std::int64_t end) { return end == kLow || end == kHigh; }

std::int64_t clamped(__int128 value) {
  return value <= kLow ? kLow : value >= kHigh ? kHigh : static_cast<std::int64_t>(value);
}

/// An end that overflowed on the wrong side is no bound.
Interval sound(std::int64_t low, std::int64_t high) {
  return {low == kHigh ? kLow : low, high == kLow ? kHigh : high};
}

Interval operator+(Interval a, Interval b) {
  const auto add = [](std::int64_t x, std::int64_t y, std::int64_t none) {
    return x == none || y == none ? none : clamped(static_cast<__int128>(x) + y);
  };
  return sound(add(a.low, b.low, kLow), add(a.high, b.high, kHigh));
}

std::int64_t end_product(std::int64_t x, std::int64_t y) {
  if (x == 0 || y == 0) return 0;
  if (unbounded(x) || unbounded(y)) return (x < 0) == (y < 0) ? kHigh : kLow;
  return clamped(static_cast<__int128>(x) * y);
}

Interval operator*(Interval a, Interval b) {
  const auto [low, high] = std::minmax({end_product(a.low, b.low), end_product(a.low, b.high),
                                        end_product(a.high, b.low), end_product(a.high, b.high)});
  return sound(low, high);
}

Interval both(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Interval either(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The values of x, when those of c*x are known.
Interval quotient_of(Interval a, std::int64_t c) {
  const auto up = [&](std::int64_t x) { return x / c + (x % c > 0); };
  return {a.low == kLow ? kLow : up(a.low), a.high == kHigh ? kHigh : floor_quotient(a.high, c)};
}

Polynomial without(std::span<const DimTerm> terms, const DimTerm& taken) {
  Polynomial rest;
  rest.reserve(terms.size() - 1);
  for (const DimTerm& term : terms)
    if (&term != &taken) rest.push_back(term);
  return rest;
}

/// Bounds of expressions whose symbols are all >= 0.
class Bounds {
 public:
  Interval of(const Dim& dim) {
    if (const auto constant = dim.constant()) return sound(*constant, *constant);
    const auto known = std::find_if(known_.begin(), known_.end(),
                                    [&](const auto& each) { return each.first == dim; });
    if (known != known_.end()) return known->second;
    if (budget_ == 0) return {};
    --budget_;
    return known_.emplace_back(dim, found(dim)).second;
  }

  /// Whether of(dim).low >= least for the dim of `terms`, without computing the bounds in full.
  bool at_least(std::span<const DimTerm> terms, std::int64_t least) {
    if (of_terms(terms).low >= least) return true;
    if (without_constant(terms).size() < 2 || proof_budget_ == 0) return false;
    --proof_budget_;
    return std::any_of(terms.begin(), terms.end(), [&](const DimTerm& term) {
      const DimAtom* atom = atom_to_take_apart(term);
      return atom &&
             (atom->kind == AtomKind::max ? at_least_by_cases(terms, term, *atom, least)
                                          : at_least_by_remainder(terms, term, *atom, least));
    });
  }

 private:
  /// The floor_div or max that `term` is a multiple of, or null.
  static const DimAtom* atom_to_take_apart(const DimTerm& term) {
    if (term.monomial.size() != 1) return nullptr;
    const DimAtom& atom = *term.monomial.front();
    return atom.kind == AtomKind::symbol ? nullptr : &atom;
  }

  /// The narrower of the sum of the terms' own bounds and the bounds found by taking one term
  /// apart; a single term need not be taken apart again.
  Interval found(const Dim& dim) {
    const Terms terms(dim);
    Interval result = of_terms(terms);
    if (without_constant(terms).size() < 2) return result;
    for (const DimTerm& term : terms) {
      const DimAtom* taken = atom_to_take_apart(term);
      if (!taken) continue;
      const DimAtom& atom = *taken;
      const Dim rest = dim - DimTerms::dim({term});
      result =
          both(result, atom.kind == AtomKind::max ? by_cases(rest, term.coefficient, atom)
                                                  : by_remainder(rest, term.coefficient, atom));
    }
    return result;
  }

  Interval of_terms(std::span<const DimTerm> terms) {
    Interval sum{0, 0};
    for (const DimTerm& term : terms) {
      Interval factor = sound(term.coefficient, term.coefficient);
      for (const AtomRef& atom : term.monomial) factor = factor * of_atom(*atom);
      sum = sum + factor;
    }
    return sum;
  }

  Interval of_atom(const DimAtom& atom) {
    if (atom.kind == AtomKind::symbol) return {0, kHigh};
    if (atom.kind == AtomKind::floor_div) return of_floor_div(atom.operands[0], atom.operands[1]);
    Interval result = of(atom.operands.front());
    for (const Dim& operand : atom.operands) {
      const Interval next = of(operand);
      result = {std::max(result.low, next.low), std::max(result.high, next.high)};
    }
    return result;
  }

  /// Monotone in the dividend where the divisor is positive; a larger divisor brings it nearer to 0
  /// or -1.
  Interval of_floor_div(const Dim& dividend, const Dim& divisor) {
    const Interval a = of(dividend);
    const Interval b = of(divisor);
    if (b.low <= 0) return {};
    const auto least = [&](std::int64_t x) {
      if (x == kLow) return kLow;
      if (x < 0) return floor_quotient(x, b.low);
      return b.high == kHigh ? 0 : x / b.high;
    };
    const auto greatest = [&](std::int64_t x) {
      if (x == kHigh) return kHigh;
      if (x >= 0) return x / b.low;
      return b.high == kHigh ? -1 : floor_quotient(x, b.high);
    };
    return {least(a.low), greatest(a.high)};
  }

  /// k*max(a, b) + rest is one of k*a + rest, k*b + rest: the greatest of them when k > 0,
  /// otherwise the least.
  Interval by_cases(const Dim& rest, std::int64_t times, const DimAtom& atom) {
    Interval any{kHigh, kLow};
    Interval extreme;
    for (const Dim& operand : atom.operands) {
      const Interval one = of(rest + Dim(times) * operand);
      any = either(any, one);
      extreme = both(extreme, times > 0 ? Interval{one.low, kHigh} : Interval{kLow, one.high});
    }
    return both(any, extreme);
  }

  bool at_least_by_cases(std::span<const DimTerm> terms, const DimTerm& taken, const DimAtom& atom,
                         std::int64_t least) {
    const Polynomial rest = without(terms, taken);
    const auto holds = [&](const Dim& operand) {
      return at_least(sum_of(rest, Terms(operand), taken.coefficient), least);
    };
    return taken.coefficient > 0 ? std::any_of(atom.operands.begin(), atom.operands.end(), holds)
                                 : std::all_of(atom.operands.begin(), atom.operands.end(), holds);
  }

  /// c*(k*floor_div(a, c) + rest) = k*a + c*rest - k*r, where 0 <= r < c
  Interval by_remainder(const Dim& rest, std::int64_t times, const DimAtom& atom) {
    const auto divisor = atom.operands[1].constant();
    if (!divisor) return {};
    const Interval whole = of(Dim(times) * atom.operands[0] + atom.operands[1] * rest);
    const Interval remainder{0, *divisor - 1};
    const Interval taken = Interval{checked_mul(times, -1), checked_mul(times, -1)} * remainder;
    return quotient_of(whole + taken, *divisor);
  }

  /// What is >= least when c times it is > c*(least - 1); the same equation.
  bool at_least_by_remainder(std::span<const DimTerm> terms, const DimTerm& taken,
                             const DimAtom& atom, std::int64_t least) {
    const auto divisor = atom.operands[1].constant();
    if (!divisor) return false;
    const std::int64_t times = taken.coefficient;
    const std::int64_t beyond = checked_mul(*divisor, checked_add(least, -1));
    const std::int64_t most_taken = std::max<std::int64_t>(checked_mul(times, *divisor - 1), 0);
    return at_least(sum_of(scaled(without(terms, taken), *divisor), Terms(atom.operands[0]), times),
                    checked_add(beyond, checked_add(most_taken, 1)));
  }

  int budget_ = 400;         ///< of bounds that may still be found
  int proof_budget_ = 4000;  ///< of sums a proof may still take apart
  /// A cache: the cases of one expression lead to the same expressions again and again.
  std::vector<std::pair<Dim, Interval>> known_;
};

/// `dim` over symbols that start from 0 where those of `dim` start from `least`.
Dim from_zero(const Dim& dim, const std::map<std::string, std::int64_t, std::less<>>& least) {
  if (least.empty()) return dim;
  Dim::Bindings shifted;
  for (const auto& [name, bound] : least) shifted.emplace(name, Dim::symbol(name) + bound);
  return dim.substitute(shifted);
}

}  // namespace

bool SymbolScope::is_fresh_name(std::string_view name) {
  return name.size() > 1 && name[0] == 'u' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

Dim SymbolScope::fresh() {
  while (true) {
    std::string name = cat("u", next_++);
    if (!reserved_.contains(name)) return Dim::symbol(name);
  }
}

void SymbolScope::reserve(std::string_view name) {
  if (is_fresh_name(name)) reserved_.emplace(name, true);
}

void SymbolScope::reserve_symbols(const Dim& dim) {
  dim.any_symbol([&](const std::string& name) {
    reserve(name);
    return false;
  });
}

void SymbolScope::assert_at_least(std::string_view symbol, std::int64_t least) {
  reserve(symbol);
  const auto [place, added] = least_.emplace(symbol, least);
  if (!added) place->second = std::max(place->second, least);
}

DimRange SymbolScope::range(const Dim& dim) const {
  try {
    const Interval bounds = Bounds().of(from_zero(dim, least_));
    DimRange range;
    if (bounds.low != kLow) range.least = bounds.low;
    if (bounds.high != kHigh) range.greatest = bounds.high;
    return range;
  } catch (const Error&) {
    return {};  // a bound that leaves int64, or takes too long to find, is no bound
  }
}

bool SymbolScope::provably_at_least(const Dim& dim, std::int64_t bound) const {
  if (const auto value = dim.constant()) return *value >= bound;
  try {
    const Dim shifted = from_zero(dim, least_);
    return Bounds().at_least(Terms(shifted), bound);
  } catch (const Error&) {
    return false;  // as above
  }
}

}  // namespace strata
