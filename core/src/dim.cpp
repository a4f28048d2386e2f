#include "strata/core/dim.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "dim_terms.h"
#include "strata/core/error.h"

namespace strata {
namespace {

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

std::optional<std::int64_t> value_of(const DimAtom& atom, const SymbolValues& values) {
  if (atom.kind == AtomKind::symbol) {
    const auto found = values.find(atom.name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::int64_t> operands;
  for (const Dim& operand : atom.operands) {
    const auto value = operand.evaluate(values);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  if (atom.kind == AtomKind::floor_div) return floor_quotient(operands[0], operands[1]);
  return *std::max_element(operands.begin(), operands.end());
}

Dim substituted(const DimAtom& atom, const Dim::Bindings& bindings) {
  if (atom.kind == AtomKind::symbol) {
    const auto found = bindings.find(atom.name);
    return found == bindings.end() ? Dim::symbol(atom.name) : found->second;
  }
  std::vector<Dim> operands;
  for (const Dim& operand : atom.operands) operands.push_back(operand.substitute(bindings));
  if (atom.kind == AtomKind::floor_div) return floor_div(operands[0], operands[1]);
  return max_of(std::move(operands));
}

}  // namespace

void Dim::refuse(std::uint64_t value) {
  fail(ErrorKind::invalid_model, "dimension ", value, " overflows");
}

Dim Dim::symbol(std::string_view name) {
  require(!name.empty(), ErrorKind::invalid_argument, "a symbol has no name");
  return atom_dim(AtomKind::symbol, std::string(name), {});
}

bool Dim::operator==(const Dim& other) const {
  if (!terms_ || !other.terms_) return terms_ == other.terms_ && value_ == other.value_;
  return terms_ == other.terms_ ||
         (terms_->hash == other.terms_->hash && compare(*this, other) == 0);
}

std::size_t Dim::hash() const { return terms_ ? terms_->hash : std::hash<std::int64_t>{}(value_); }

const std::string* Dim::as_symbol() const {
  if (!terms_ || terms_->terms.size() != 1) return nullptr;
  const auto& [coefficient, monomial] = terms_->terms[0];
  const bool is_atom = coefficient == 1 && monomial.size() == 1;
  return is_atom && monomial[0]->kind == AtomKind::symbol ? &monomial[0]->name : nullptr;
}

std::vector<std::string> Dim::symbols() const {
  std::vector<std::string> names;
  any_symbol([&](const std::string& name) {
    names.push_back(name);
    return false;
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool Dim::any_symbol(const std::function<bool(const std::string&)>& holds) const {
  if (!terms_) return false;
  const auto in_operand = [&](const Dim& operand) { return operand.any_symbol(holds); };
  for (const DimTerm& term : terms_->terms) {
    for (const AtomRef& atom : term.monomial) {
      if (atom->kind == AtomKind::symbol
              ? holds(atom->name)
              : std::any_of(atom->operands.begin(), atom->operands.end(), in_operand))
        return true;
    }
  }
  return false;
}

Dim Dim::substitute(const Bindings& bindings) const {
  if (!terms_) return *this;
  Dim sum;
  for (const DimTerm& term : terms_->terms) {
    Dim factor = term.coefficient;
    for (const AtomRef& atom : term.monomial) factor *= substituted(*atom, bindings);
    sum += factor;
  }
  return sum;
}

std::optional<std::int64_t> Dim::evaluate(const SymbolValues& values) const {
  if (!terms_) return value_;
  std::int64_t sum = 0;
  for (const DimTerm& term : terms_->terms) {
    std::int64_t factor = term.coefficient;
    for (const AtomRef& atom : term.monomial) {
      const auto value = value_of(*atom, values);
      if (!value) return std::nullopt;
      factor = checked_mul(factor, *value);
    }
    sum = checked_add(sum, factor);
  }
  return sum;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return checked_add(a.value_, b.value_);
  if (b == Dim(0)) return a;
  return DimTerms::dim(sum_of(Terms(a), Terms(b), 1));
}

Dim operator-(const Dim& a) {
  if (a.is_constant()) return checked_mul(a.value_, -1);
  return DimTerms::dim(scaled(Terms(a), -1));
}

Dim operator-(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) {
    std::int64_t difference;
    check(!__builtin_sub_overflow(a.value_, b.value_, &difference), "dimension ", a.value_, " - ",
          b.value_, " overflows");
    return difference;
  }
  return DimTerms::dim(sum_of(Terms(a), Terms(b), -1));
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return checked_mul(a.value_, b.value_);
  if (a == Dim(0) || b == Dim(0)) return 0;
  if (a.is_constant()) return DimTerms::dim(scaled(Terms(b), a.value_));
  if (b.is_constant()) return DimTerms::dim(scaled(Terms(a), b.value_));
  const Terms left(a), right(b);
  Polynomial terms;
  terms.reserve(left.size() * right.size());
  for (const DimTerm& s : left) {
    for (const DimTerm& t : right) {
      terms.push_back({checked_mul(s.coefficient, t.coefficient), product(s.monomial, t.monomial)});
    }
  }
  return DimTerms::dim(collect(std::move(terms)));
}

Dim mod(const Dim& a, const Dim& b) { return a - b * floor_div(a, b); }
Dim max(const Dim& a, const Dim& b) { return max_of({a, b}); }
Dim min(const Dim& a, const Dim& b) { return -max_of({-a, -b}); }
Dim ceil_div(const Dim& a, const Dim& b) { return -floor_div(-a, b); }

}  // namespace strata
