#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// The sizes of the symbols that are dims of graph inputs. Dims that are expressions over symbols
/// must agree with them.
class SymbolBinding {
 public:
  explicit SymbolBinding(const TypedModel& model);

  /// Takes the sizes from these input shapes, whose ranks must be those declared; inputs other than
  /// tensors are skipped. Forgets what was learned. Throws: invalid_argument if one symbol or one
  /// expression would have two sizes.
  void bind(std::span<const Shape> inputs);
  /// Learns symbols that no input has from a value of these sizes, where they are dims of `shape`.
  /// Returns whether all of `shape` agrees.
  bool learn(const ShapeFact& shape, const Shape& sizes);
  bool has_learned() const { return !learned_.empty(); }
  const SymbolValues& values() const { return values_; }

 private:
  /// An axis of an input whose size is a symbol.
  struct Place {
    std::size_t input;
    std::size_t axis;
    SymbolValues::iterator symbol;
    bool is_first;  ///< gives the symbol its size, with which others must agree
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

/// The size for these symbols; nothing if it is not known, or not a number of 64 bits.
std::optional<std::int64_t> resolved(const Dim& dim, const SymbolValues& symbols);
/// The shape for these symbols; nothing if it is not known, or has a negative dim.
std::optional<Shape> resolved(const ShapeFact& shape, const SymbolValues& symbols);

/// Whether `shape` has the rank, the constant dims and those of known symbols that `fact` promises.
/// Allocates nothing for dims that are a number or a symbol.
bool fits(const ShapeFact& fact, const Shape& shape, const SymbolValues& symbols = {});
/// `fact`, with the dims that follow from these symbols as numbers.
ShapeFact sized(const ShapeFact& fact, const SymbolValues& symbols);

}  // namespace strata
