#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// The sizes of the symbols that stand alone as dims of graph inputs; dims that are more than a
/// symbol must agree.
class SymbolBinding {
 public:
  explicit SymbolBinding(const TypedModel& model);

  /// For inputs of these shapes, whose ranks are those promised; those of inputs other than tensors
  /// are not looked at. Forgets what
  /// was learned. Throws: invalid_argument when one symbol, or one expression, would have two
  /// sizes.
  void bind(std::span<const Shape> inputs);
  /// Takes the sizes of symbols that stand alone in `shape`, and that no input has, from `sizes`.
  /// Returns whether all of the shape agrees.
  bool learn(const ShapeFact& shape, const Shape& sizes);
  bool has_learned() const { return !learned_.empty(); }
  const SymbolValues& values() const { return values_; }

 private:
  /// An axis of an input whose size is a symbol.
  struct Place {
    std::size_t input;
    std::size_t axis;
    SymbolValues::iterator symbol;
    bool is_first;  ///< tells the size; others must agree
  };

  /// An axis of an input whose size is an expression.
  struct Expression {
    std::size_t input;
    std::size_t axis;
  };
  const Dim& size_of(const Expression& e) const { return model_.input_fact(e.input).shape[e.axis]; }
  void check_expressions(std::span<const Shape> inputs) const;

  const TypedModel& model_;
  SymbolValues values_;
  std::vector<Place> places_;
  std::vector<Expression> expressions_;
  std::vector<SymbolValues::iterator> learned_;
};

/// The size for these ones; nothing when that is not known, or no number of 64 bits.
std::optional<std::int64_t> resolved(const Dim& dim, const SymbolValues& symbols);
/// The shape for these sizes; nothing when that is not known, or a dim negative.
std::optional<Shape> resolved(const ShapeFact& shape, const SymbolValues& symbols);

/// Whether `shape` has the rank, the constant dims and those of known symbols that `fact` promises.
/// Allocates nothing for dims that are a number or a symbol.
bool fits(const ShapeFact& fact, const Shape& shape, const SymbolValues& symbols = {});
/// `fact` with the numbers of the dims that these symbols tell.
ShapeFact sized(const ShapeFact& fact, const SymbolValues& symbols);

}  // namespace strata
