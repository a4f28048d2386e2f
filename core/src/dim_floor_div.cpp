#include <numeric>
#include <optional>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

/// The monomial that divides every term of both.
Monomial common_monomial(const Terms& a, const Terms& b) {
  Monomial common = a.front().monomial;
  const auto narrow = [&](const Terms& terms) {
    for (const DimTerm& term : terms) {
      // What is in both is what remains of one when the rest of it is taken away.
      common = quotient(common, quotient(common, term.monomial));
    }
  };
  narrow(a);
  narrow(b);
  return common;
}

Polynomial without_factor(const Terms& terms, std::int64_t factor, const Monomial& monomial) {
  Polynomial out;
  for (const DimTerm& term : terms)
    out.push_back({term.coefficient / factor, quotient(term.monomial, monomial)});
  return out;
}

/// floor_div(g*a, g*b) -> floor_div(a, b), for an integer or a monomial g
Dim by_polynomial(const Dim& remainder, const Dim& divisor) {
  const Terms a(remainder), b(divisor);
  const std::int64_t factor = std::gcd(content(a), content(b));
  const Monomial monomial = common_monomial(a, b);
  if (factor == 1 && monomial.empty()) {
    return atom_dim(AtomKind::floor_div, {}, {remainder, divisor});
  }
  // Sorted terms stay sorted, since the order of monomials is kept by division.
  return floor_div(DimTerms::dim(without_factor(a, factor, monomial)),
                   DimTerms::dim(without_factor(b, factor, monomial)));
}

/// floor_div(g*a + k, g*c) -> floor_div(a + floor(k/g), c)
Dim without_content(const Dim& a, std::int64_t divisor, std::int64_t factor) {
  const Terms terms(a);
  const Dim rest = DimTerms::dim(divided(without_constant(terms), factor));
  return floor_div(rest + floor_quotient(constant_term(terms), factor), divisor / factor);
}

/// The first term `1*floor_div(a, b)` or `-1*floor_div(a, c)` whose divisor times `outer` stays in
/// range.
const DimTerm* nested_division(const Terms& terms, std::int64_t outer) {
  for (const DimTerm& term : terms) {
    if (term.monomial.size() != 1) continue;
    const DimAtom& atom = *term.monomial.front();
    if (atom.kind != AtomKind::floor_div) continue;
    std::int64_t unused;
    const auto inner = atom.operands[1].constant();
    if (inner && __builtin_mul_overflow(*inner, outer, &unused)) continue;
    if (term.coefficient == 1 || (term.coefficient == -1 && inner)) return &term;
  }
  return nullptr;
}

/// floor_div(floor_div(a, b) + s, c) -> floor_div(a + b*s, b*c), for c > 0, where -floor_div(a, b)
/// for an integer b > 0 is first made floor_div(b-1-a, b)
std::optional<Dim> flattened(const Dim& dividend, std::int64_t divisor) {
  const Terms terms(dividend);
  const DimTerm* nested = nested_division(terms, divisor);
  if (!nested) return std::nullopt;
  const Dim& a = nested->monomial.front()->operands[0];
  const Dim& b = nested->monomial.front()->operands[1];
  const Dim rest = dividend - DimTerms::dim({*nested});
  const Dim inner = nested->coefficient == 1 ? a : b - 1 - a;
  return floor_div(inner + b * rest, b * divisor);
}

/// Whether `a` is written with smaller coefficients than `b`; both have the same monomials but for
/// the integer term.
bool has_smaller_coefficients(const Dim& a, const Dim& b) {
  const Terms x(a), y(b);
  const auto s = without_constant(x);
  const auto t = without_constant(y);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i].coefficient != t[i].coefficient) return s[i].coefficient < t[i].coefficient;
  }
  return constant_term(x) < constant_term(y);
}

/// floor_div(r, c), where r has coefficients in [0, c). The identity
///
///   floor_div(r, c) = -floor_div(c-1-r, c)
///
/// gives two ways to write each; the one with the smaller coefficients is kept.
Dim by_constant(const Dim& remainder, std::int64_t divisor) {
  if (remainder.is_constant()) return 0;
  const Terms terms(remainder);
  const std::int64_t factor = std::gcd(content(without_constant(terms)), divisor);
  if (factor > 1) return without_content(remainder, divisor, factor);
  if (const auto flat = flattened(remainder, divisor)) return *flat;

  const Division mirror = divide(Dim(divisor - 1) - remainder, divisor);
  if (const auto flat = flattened(mirror.remainder, divisor)) return -(mirror.quotient + *flat);
  if (has_smaller_coefficients(mirror.remainder, remainder)) {
    return -(mirror.quotient + atom_dim(AtomKind::floor_div, {}, {mirror.remainder, divisor}));
  }
  return atom_dim(AtomKind::floor_div, {}, {remainder, divisor});
}

}  // namespace

Dim floor_div(const Dim& a, const Dim& b) {
  check(b != Dim(0), "dimension ", a, " is divided by 0");
  if (b == Dim(1)) return a;
  if (a.constant() && b.constant()) return floor_quotient(*a.constant(), *b.constant());
  if (Terms(b).front().coefficient < 0) return floor_div(-a, -b);
  // Before coefficients are reduced: modulo 2 the sign of a nested division would be lost.
  if (const auto divisor = b.constant()) {
    if (const auto flat = flattened(a, *divisor)) return *flat;
  }
  const Division parts = divide(a, b);
  if (parts.remainder == Dim(0)) return parts.quotient;
  return parts.quotient + (b.is_constant() ? by_constant(parts.remainder, *b.constant())
                                           : by_polynomial(parts.remainder, b));
}

}  // namespace strata
