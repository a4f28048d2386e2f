#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

struct DimTerms;

/// An exact symbolic integer: + - *, floor division, modulo, min and max over integers and named
/// symbols.
///
/// Every Dim is kept in one canonical form, a polynomial over atoms (symbols and irreducible
/// floor_div and max terms) with a fixed order, so that equal expressions compare equal whatever
/// way they were built: `2*(S+1) - S == S + 2`, `(6*S)/3 == 2*S`, `ceil_div(S, 2) == floor_div(S+1,
/// 2)`. mod and min are expressed by floor_div and max; to_string brings them back. A common
/// factor of a division cancels, as if it were never 0. Symbols are equal when their names are. A
/// plain integer costs no allocation. Arithmetic that leaves int64 throws an Error of kind
/// `invalid_model`, expressions that grow past a fixed size one of kind `limit`.
class Dim {
 public:
  Dim() = default;
  template <std::integral I>
  Dim(I value) : value_(static_cast<std::int64_t>(value)) {
    if constexpr (std::unsigned_integral<I> && sizeof(I) == sizeof(std::int64_t)) {
      if (value_ < 0) [[unlikely]]
        refuse(value);
    }
  }

  static Dim symbol(std::string_view name);
  /// Reads what to_string writes. Throws: invalid_argument with the place of the mistake.
  static Dim parse(std::string_view text);

  bool is_constant() const { return terms_ == nullptr; }
  std::optional<std::int64_t> constant() const {
    return terms_ ? std::nullopt : std::optional(value_);
  }
  bool operator==(const Dim& other) const;
  std::size_t hash() const;
  /// `N`, `2*N+1`, `floor_div(N,2)`, `max(N,1)`, …; readable by parse.
  std::string to_string() const;
  /// The symbol's name if this is a single symbol; null if it is anything else.
  const std::string* as_symbol() const;
  /// The names of the symbols in it, sorted, each once.
  std::vector<std::string> symbols() const;
  /// Whether `holds` is true of the name of any symbol in it.
  bool any_symbol(const std::function<bool(const std::string&)>& holds) const;

  using Bindings = std::map<std::string, Dim, std::less<>>;
  /// This expression with every bound symbol replaced.
  Dim substitute(const Bindings& bindings) const;
  /// The value when every symbol is bound to an integer, otherwise nothing.
  std::optional<std::int64_t> evaluate(
      const std::map<std::string, std::int64_t, std::less<>>& values) const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a);
  /// Rounds toward minus infinity. Throws: invalid_model when `b` is the constant 0.
  friend Dim floor_div(const Dim& a, const Dim& b);
  /// a - b * floor_div(a, b)
  friend Dim mod(const Dim& a, const Dim& b);
  friend Dim min(const Dim& a, const Dim& b);
  friend Dim max(const Dim& a, const Dim& b);

  Dim& operator+=(const Dim& b) { return *this = *this + b; }
  Dim& operator-=(const Dim& b) { return *this = *this - b; }
  Dim& operator*=(const Dim& b) { return *this = *this * b; }

 private:
  friend struct DimTerms;
  /// Throws: invalid_model, as `value` leaves int64.
  [[noreturn]] static void refuse(std::uint64_t value);

  std::int64_t value_ = 0;                 ///< the value, when terms_ is null
  std::shared_ptr<const DimTerms> terms_;  ///< the polynomial, unless it is a plain integer
};

/// -floor_div(-a, b)
Dim ceil_div(const Dim& a, const Dim& b);

/// The least and the greatest value an expression may take; absent where there is no bound.
struct DimRange {
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> greatest;
};

/// The symbols of one model: hands out fresh ones and knows what is asserted of each.
///
/// A model and the bodies in it share one scope. Symbols are taken to be >= 0 unless said
/// otherwise.
class SymbolScope {
 public:
  /// A symbol nobody has used: `u0`, `u1`, … Names seen by `reserve` are skipped.
  Dim fresh();
  /// A number that grows with each fresh symbol.
  std::uint64_t fresh_count() const { return next_; }
  /// Whether `name` has the form of a fresh symbol's: u and digits.
  static bool is_fresh_name(std::string_view name);
  /// Keeps `fresh` from handing out `name`.
  void reserve(std::string_view name);
  /// Reserves all symbols in `dim`.
  void reserve_symbols(const Dim& dim);
  /// Notes that `symbol >= least`.
  void assert_at_least(std::string_view symbol, std::int64_t least);

  /// Bounds from interval arithmetic over what is asserted.
  DimRange range(const Dim& dim) const;
  bool provably_at_least(const Dim& dim, std::int64_t bound) const;

 private:
  std::uint64_t next_ = 0;
  std::map<std::string, std::int64_t, std::less<>> least_;
  std::map<std::string, bool, std::less<>> reserved_;
};

}  // namespace strata
