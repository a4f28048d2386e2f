#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/dim.h"

/// The inside of Dim: polynomials with integer coefficients over atoms.
///
/// An atom is what the polynomial ring cannot express. There are three kinds, and everything else
/// is written by them:
///
///   mod(a, b)      = a - b*floor_div(a, b)
///   ceil_div(a, b) = -floor_div(-a, b)
///   min(s...)      = -max(-s...)
///
/// Terms are ordered by degree, then by atoms, which is an order that multiplication keeps:
/// division has one result.
namespace strata {

enum class AtomKind { symbol, floor_div, max };

struct DimAtom {
  AtomKind kind;
  std::string name;           ///< of a symbol
  std::vector<Dim> operands;  ///< dividend and divisor, or what max is taken of
  std::size_t hash = 0;
  std::size_t weight = 1;  ///< number of atoms and terms written out
  std::size_t depth = 1;
};

using AtomRef = std::shared_ptr<const DimAtom>;

/// Atoms that are multiplied, sorted; a power repeats its atom. Copies share them.
class Monomial {
 public:
  Monomial() = default;
  explicit Monomial(AtomRef atom) : only_(std::move(atom)) {}
  explicit Monomial(std::vector<AtomRef> atoms) {
    if (atoms.size() == 1) only_ = std::move(atoms.front());
    if (atoms.size() > 1) atoms_ = std::make_shared<const std::vector<AtomRef>>(std::move(atoms));
  }

  std::size_t size() const { return atoms_ ? atoms_->size() : only_ != nullptr; }
  bool empty() const { return size() == 0; }
  const AtomRef* begin() const { return atoms_ ? atoms_->data() : &only_; }
  const AtomRef* end() const { return begin() + size(); }
  const AtomRef& front() const { return *begin(); }
  const AtomRef& operator[](std::size_t i) const { return begin()[i]; }

 private:
  AtomRef only_;                                       ///< the atom, where there is one
  std::shared_ptr<const std::vector<AtomRef>> atoms_;  ///< where there are several
};

struct DimTerm {
  std::int64_t coefficient = 0;
  Monomial monomial;  ///< empty for the integer term
};

using Polynomial = std::vector<DimTerm>;  ///< sorted, monomials distinct, coefficients not 0

/// The terms of a Dim that outlives this; none for 0.
class Terms {
 public:
  explicit Terms(const Dim& dim);
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;

  std::size_t size() const { return terms_.size(); }
  bool empty() const { return terms_.empty(); }
  auto begin() const { return terms_.begin(); }
  auto end() const { return terms_.end(); }
  const DimTerm& front() const { return terms_.front(); }

 private:
  DimTerm integer_;  ///< of a Dim that is a plain integer
  std::span<const DimTerm> terms_;
};

struct DimTerms {
  Polynomial terms;
  std::size_t hash = 0;
  std::size_t weight = 0;
  std::size_t depth = 0;

  /// The Dim of canonical terms. Throws: limit when it is too large.
  static Dim dim(Polynomial terms);
  static std::size_t weight_of(const Dim& dim) { return dim.terms_ ? dim.terms_->weight : 1; }
  static std::size_t depth_of(const Dim& dim) { return dim.terms_ ? dim.terms_->depth : 0; }
  static const DimTerms* get(const Dim& dim) { return dim.terms_.get(); }
};

/// Total orders by structure; negative when `a` comes first.
int compare(const DimAtom& a, const DimAtom& b);
int compare(const Monomial& a, const Monomial& b);
int compare(const Dim& a, const Dim& b);

std::int64_t checked_add(std::int64_t a, std::int64_t b);
std::int64_t checked_mul(std::int64_t a, std::int64_t b);
/// Throws: invalid_model when `b` is 0 or the quotient leaves int64.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);

/// The polynomial of terms in any order, equal monomials added up.
Polynomial collect(Polynomial terms);
/// a + factor*b, where `factor` is not 0.
Polynomial sum_of(std::span<const DimTerm> a, std::span<const DimTerm> b, std::int64_t factor);
/// Each term times `factor`, which is not 0.
Polynomial scaled(std::span<const DimTerm> terms, std::int64_t factor);
/// Each term divided by `factor`, which divides every coefficient.
Polynomial divided(std::span<const DimTerm> terms, std::int64_t factor);
/// The greatest common divisor of the coefficients; 0 for no terms.
std::int64_t content(std::span<const DimTerm> terms);
/// The integer term.
std::int64_t constant_term(std::span<const DimTerm> terms);
/// All terms but the integer one.
std::span<const DimTerm> without_constant(std::span<const DimTerm> terms);

Monomial product(const Monomial& a, const Monomial& b);
bool divides(const Monomial& divisor, const Monomial& monomial);
Monomial quotient(const Monomial& monomial, const Monomial& divisor);

struct Division {
  Dim quotient;
  Dim remainder;
};
/// a = quotient*b + remainder, where no term of the remainder can be divided by the leading term of
/// `b` any further.
Division divide(const Dim& a, const Dim& b);
Division divide(const Dim& a, std::int64_t b);

Dim atom_dim(AtomKind kind, std::string name, std::vector<Dim> operands);
/// The greatest of `operands`, which are not empty.
Dim max_of(std::vector<Dim> operands);

/// `operands` + `shift`, the form of a set of operands that is the same wherever the set is moved
/// to.
struct Shifted {
  std::vector<Dim> operands;
  Dim shift;
};
Shifted normalise_shift(const std::vector<Dim>& operands);

/// What a symbol's name may begin with, and go on with, to be written without quotes.
bool starts_name(char c);
bool continues_name(char c);

}  // namespace strata
