#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/shape_fact.h"
#include "strata/core/value.h"

namespace strata {

/// What is known of a wire before the run: its type always, its shape as far as it can be, and its
/// value if it is constant.
///
/// Shapes. A dim is an integer, an expression over symbols, or a fresh symbol where the size
/// depends on data. A shape is open where the rank itself does. Ops carry both along; nothing may
/// require that an operand is constant.
///
/// Values. `value` holds a constant. A small i64 tensor may also be known symbolically: then
/// `value` is a tensor of type `dim` although `dtype` stays i64 (the Shape of [N,3] is known to be
/// N,3). So may an i32 one that sizes were cast to: no size is taken to exceed i32. `constant()`
/// answers for the first kind only, `dims()` for both.
///
/// Sequences and optionals. `element` is the fact of every item; a sequence may know its length.
struct Fact {
  ValueType::Kind kind = ValueType::Kind::tensor;
  DatumType dtype = DatumType::f32;
  ShapeFact shape;
  std::shared_ptr<const Fact> element;
  std::optional<Dim> length;
  std::shared_ptr<const Value> value;

  static Fact tensor(DatumType dtype, ShapeFact shape);
  static Fact sequence(Fact element, std::optional<Dim> length = std::nullopt);
  static Fact optional(Fact element);
  /// The fact of a constant.
  static Fact of(std::shared_ptr<const Value> value);
  static Fact of(Value value) { return of(std::make_shared<const Value>(std::move(value))); }
  /// The fact of any value of `type`, with open shapes throughout.
  static Fact any(const ValueType& type);

  bool is_tensor() const { return kind == ValueType::Kind::tensor; }
  ValueType type() const;
  /// This fact without its value.
  Fact without_value() const;
  /// The constant tensor, or null when it is unknown, symbolic or not a tensor.
  const Tensor* constant() const;
  /// The only element of a constant tensor of bools.
  std::optional<bool> truth() const;
  /// The elements of a known integer tensor of rank 0 or 1, symbolic or not.
  std::optional<std::vector<Dim>> dims() const;
  /// The elements of a constant integer tensor.
  std::optional<Shape> integers() const;

  bool operator==(const Fact& other) const;
  /// A quick check for equality: values that are equal, but not the same object, count as
  /// different.
  bool is_same(const Fact& other) const;
  /// `f32[N,3]`, `i64[2] = 1,2`, `sequence(f32[..])`.
  std::string to_string() const;
};

using FactList = std::vector<Fact>;

/// The facts of an op's inputs, in order; trailing optional inputs may be missing.
class Facts {
 public:
  Facts(std::span<const Fact* const> facts) : facts_(facts) {}
  std::size_t size() const { return facts_.size(); }
  bool has(std::size_t i) const { return i < facts_.size(); }
  const Fact& operator[](std::size_t i) const { return *facts_[i]; }

 private:
  std::span<const Fact* const> facts_;
};

/// The fact of a wire that is either `a` or `b`: dims that differ become fresh symbols, ranks that
/// differ an open shape, values that differ unknown. Throws: invalid_model when the types differ.
Fact join(const Fact& a, const Fact& b);
/// The fact of a wire that is both `a` and `b`: the more definite of each part. Throws:
/// invalid_model when they contradict each other (two types, two ranks, two different integers).
Fact meet(const Fact& a, const Fact& b);
/// Whether a value of the type and shape of `value` may flow where `fact` is promised; unknown dims
/// agree with anything.
bool compatible(const Fact& fact, const Fact& value);

/// The fact with these sizes in place of symbols.
Fact concretize_dims(Fact fact, const Dim::Bindings& sizes);
/// A tensor of symbolic sizes with these sizes in place of symbols; integers of `type` once no
/// symbol is left. Other values are returned as they are.
std::shared_ptr<const Value> concretize_dims(const std::shared_ptr<const Value>& value,
                                             DatumType type, const Dim::Bindings& sizes);

/// The dim of an axis whose size only the data can tell: a symbol from the scope of the model being
/// wired.
Dim fresh_dim();
/// `rank` fresh dims.
ShapeFact fresh_shape(std::size_t rank);

/// Makes `scope` the source of fresh_dim() on this thread while it is alive.
class FreshSymbols {
 public:
  explicit FreshSymbols(SymbolScope& scope);
  ~FreshSymbols();
  FreshSymbols(const FreshSymbols&) = delete;
  FreshSymbols& operator=(const FreshSymbols&) = delete;

 private:
  SymbolScope* outer_;
};

/// A negative axis counted from the end. Throws: invalid_model when it is outside [-rank, rank).
std::size_t normalized_axis(std::int64_t axis, std::size_t rank);

/// The shape that two shapes broadcast to, numpy's way: aligned at the last axis, 1 stretches. A
/// pair of dims that cannot be told apart from 1 yields the one that is known, or a fresh symbol.
/// Throws: invalid_model when they cannot agree.
ShapeFact broadcast(const ShapeFact& a, const ShapeFact& b);
/// The same for known shapes. Throws: run_time when they cannot agree.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace strata
