#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <utility>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

std::string name_text(const std::string& name) {
  const bool plain =
      starts_name(name.front()) && std::all_of(name.begin(), name.end(), continues_name);
  return plain ? name : in_quotes(name, name.size());
}

std::string call_text(std::string_view function, const std::vector<Dim>& operands) {
  std::string out = cat(function, "(");
  for (const Dim& operand : operands) {
    if (out.back() != '(') out += ',';
    out += operand.to_string();
  }
  return out + ")";
}

std::string atom_text(const DimAtom& atom) {
  if (atom.kind == AtomKind::symbol) return name_text(atom.name);
  return call_text(atom.kind == AtomKind::max ? "max" : "floor_div", atom.operands);
}

std::string monomial_text(const Monomial& monomial) {
  std::string out;
  for (const AtomRef& atom : monomial) {
    if (!out.empty()) out += '*';
    out += atom_text(*atom);
  }
  return out;
}

/// Part of a sum as a reader would write it, which the canonical form has spread over several
/// terms.
struct Rewording {
  std::int64_t coefficient;
  std::string_view function;
  std::vector<Dim> operands;
  Dim rest;  ///< the sum without that part
};

std::size_t term_count(const Dim& dim) { return Terms(dim).size(); }

/// -k*max(a, b) + k*(a+b) -> k*min(a, b)
std::optional<Rewording> as_min(const Dim& sum, const DimTerm& term) {
  const DimAtom& atom = *term.monomial.front();
  if (atom.kind != AtomKind::max || term.coefficient >= 0) return std::nullopt;
  std::vector<Dim> negated;
  for (const Dim& operand : atom.operands) negated.push_back(-operand);
  const Shifted moved = normalise_shift(negated);
  std::vector<Dim> operands = moved.operands;
  std::sort(operands.begin(), operands.end(),
            [](const Dim& a, const Dim& b) { return compare(a, b) < 0; });
  const std::int64_t times = checked_mul(term.coefficient, -1);
  return Rewording{times, "min", std::move(operands),
                   sum - DimTerms::dim({term}) + Dim(times) * moved.shift};
}

/// k*a - k*b*floor_div(a, b) -> k*mod(a, b), where b is one term
std::optional<Rewording> as_mod(const Dim& sum, const DimTerm& term) {
  for (const AtomRef& atom : term.monomial) {
    if (atom->kind != AtomKind::floor_div) continue;
    const Terms divisor(atom->operands[1]);
    if (divisor.size() != 1 || term.coefficient % divisor.front().coefficient != 0) continue;
    if (compare(quotient(term.monomial, Monomial({atom})), divisor.front().monomial) != 0) continue;
    const std::int64_t times = checked_mul(term.coefficient / divisor.front().coefficient, -1);
    return Rewording{times, "mod", atom->operands,
                     sum - DimTerms::dim({term}) - Dim(times) * atom->operands[0]};
  }
  return std::nullopt;
}

/// -k*floor_div(r, c) -> k*floor_div(c-1-r, c)
std::optional<Rewording> as_mirror(const Dim& sum, const DimTerm& term) {
  const DimAtom& atom = *term.monomial.front();
  if (atom.kind != AtomKind::floor_div || term.coefficient >= 0) return std::nullopt;
  const Dim& divisor = atom.operands[1];
  if (!divisor.is_constant()) return std::nullopt;
  const Division mirror = divide(divisor - 1 - atom.operands[0], divisor);
  const std::int64_t times = checked_mul(term.coefficient, -1);
  return Rewording{times, "floor_div", std::vector{mirror.remainder, divisor},
                   sum - DimTerms::dim({term}) + Dim(times) * mirror.quotient};
}

/// The first rewording that leaves fewer terms.
std::optional<Rewording> shorter(const Dim& sum) {
  const Terms terms(sum);
  for (const DimTerm& term : terms) {
    if (term.monomial.empty()) continue;
    std::optional<Rewording> candidates[] = {as_mod(sum, term), std::nullopt, std::nullopt};
    if (term.monomial.size() == 1) {
      candidates[1] = as_min(sum, term);
      candidates[2] = as_mirror(sum, term);
    }
    for (auto& candidate : candidates) {
      if (candidate && term_count(candidate->rest) + 1 < terms.size()) return candidate;
    }
  }
  return std::nullopt;
}

/// A rewording costs no more than readability: where it leaves int64 the canonical form is printed.
std::optional<Rewording> shorter_in_range(const Dim& sum) {
  try {
    return shorter(sum);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void append_term(std::string& out, std::int64_t coefficient, const std::string& atoms) {
  // The least int64 has no positive form, so its own sign is written.
  const bool least = coefficient == std::numeric_limits<std::int64_t>::min();
  if (coefficient < 0 && !least) out += '-';
  if (!out.empty() && (coefficient > 0 || least)) out += '+';
  const std::int64_t size = coefficient < 0 && !least ? -coefficient : coefficient;
  if (atoms.empty()) {
    out += cat(size);
  } else {
    out += size == 1 ? atoms : cat(size, "*", atoms);
  }
}

}  // namespace

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}
bool continues_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.';
}

std::string Dim::to_string() const {
  Dim rest = *this;
  std::vector<Rewording> parts;
  while (!rest.is_constant()) {
    auto part = shorter_in_range(rest);
    if (!part) break;
    rest = part->rest;
    parts.push_back(std::move(*part));
  }
  const Terms terms(rest);
  std::string out;
  for (const DimTerm& term : without_constant(terms)) {
    append_term(out, term.coefficient, monomial_text(term.monomial));
  }
  for (const Rewording& part : parts)
    append_term(out, part.coefficient, call_text(part.function, part.operands));
  const std::int64_t constant = constant_term(terms);
  if (constant != 0 || out.empty()) append_term(out, constant, {});
  return out;
}

}  // namespace strata
