#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strata/core/fact.h"

namespace strata::hir {

/// Sizes of axes as far as they are known: the rank may be unknown, and so may each dim.
using PartialShape = std::vector<std::optional<Dim>>;

/// What is known so far of a wire of an InferenceModel. Each part may be unknown; knowledge only
/// ever grows.
struct InferenceFact {
  std::optional<ValueType::Kind> kind;
  std::optional<DatumType> dtype;      ///< of a tensor
  std::optional<PartialShape> shape;   ///< of a tensor
  std::shared_ptr<const Value> value;  ///< as Fact::value: a constant, or a symbolic i64 tensor
  std::shared_ptr<const InferenceFact> element;  ///< of a sequence or an optional
  std::optional<Dim> length;                     ///< of a sequence

  InferenceFact() = default;
  /// Everything that a typed fact says.
  explicit InferenceFact(const Fact& fact);
  /// The full fact of a constant.
  static InferenceFact of(std::shared_ptr<const Value> value);
  static InferenceFact tensor(std::optional<DatumType> dtype, std::optional<PartialShape> shape);

  /// The typed fact, with fresh symbols for unknown dims and open shapes for unknown ranks; nothing
  /// while the type is not fully known.
  std::optional<Fact> typed() const;
  bool operator==(const InferenceFact& other) const;
  /// `f32[N,?]`, `?[..]`, `?`
  std::string to_string() const;
};

/// The fact that combines both. Throws: invalid_model with both sides when they contradict each
/// other.
InferenceFact unify(const InferenceFact& a, const InferenceFact& b);

/// The fact without its shape, or those of its elements.
InferenceFact without_shapes(InferenceFact fact);

}  // namespace strata::hir
