#pragma once

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/hir/inference_fact.h"

namespace strata::hir {

class Rules;

/// An input or output of the node whose rules are being run.
struct Port {
  bool is_output = false;
  std::size_t index = 0;
};
using Ports = SmallVector<Port, 2>;

/// What is known of a port at the time it is asked for.
class FactRef {
 public:
  FactRef() = default;
  explicit FactRef(const InferenceFact* const* place) : place_(place) {}
  explicit operator bool() const { return place_ != nullptr; }
  const InferenceFact& operator*() const { return **place_; }
  const InferenceFact* operator->() const { return *place_; }

 private:
  const InferenceFact* const* place_ = nullptr;
};

/// An equation between what is known of ports; made by `==` on proxies, applied by Rules::require.
struct Equation {
  enum class Part { dtype, rank, dim, shape, type };
  /// The ports of a side, several where ranks are added up, and its integer: what is added to
  /// ranks, the axis of a dim, or the container of a type, a ValueType::Kind.
  struct Side {
    Ports ports;
    std::int64_t number = 0;
  };
  Part part = Part::dtype;
  Side left, right;
  std::optional<DatumType> dtype;     ///< right side, when it is a constant
  std::optional<Dim> dim;             ///< right side, when it is a constant
  std::optional<PartialShape> shape;  ///< right side, when it is a constant
  std::string shown_as;               ///< in errors, where it differs from what the parts say

  /// The text to show when it does not hold.
  std::string to_string() const;
};

/// The element type of a port.
struct DtypeProxy {
  Port port;
  FactRef fact;
  std::optional<DatumType> known() const { return fact->dtype; }
  friend Equation operator==(const DtypeProxy& a, const DtypeProxy& b);
  friend Equation operator==(const DtypeProxy& a, DatumType b);
};

/// A sum of ranks and an integer.
struct RankProxy {
  Ports ports;
  std::int64_t offset = 0;
  FactRef fact;  ///< of a single port
  std::optional<std::int64_t> known() const;
  friend RankProxy operator+(RankProxy a, const RankProxy& b);
  friend RankProxy operator+(RankProxy a, std::int64_t b);
  friend RankProxy operator-(RankProxy a, std::int64_t b);
  friend Equation operator==(const RankProxy& a, const RankProxy& b);
  friend Equation operator==(const RankProxy& a, std::int64_t b);
};

/// One axis of a port; a negative axis counts from the end once the rank is known.
struct DimProxy {
  Port port;
  std::int64_t axis;
  FactRef fact;
  std::optional<Dim> known() const;
  friend Equation operator==(const DimProxy& a, const DimProxy& b);
  friend Equation operator==(const DimProxy& a, const Dim& b);
};

struct ShapeProxy {
  Port port;
  FactRef fact;
  DimProxy operator[](std::int64_t axis) const { return {port, axis, fact}; }
  /// The dims when all are known.
  std::optional<std::vector<Dim>> known() const;
  /// The dims as far as they are known, once the rank is.
  const std::optional<PartialShape>& partial() const { return fact->shape; }
  friend Equation operator==(const ShapeProxy& a, const ShapeProxy& b);
  friend Equation operator==(const ShapeProxy& a, const std::vector<Dim>& b);
  friend Equation operator==(const ShapeProxy& a, const PartialShape& b);
};

struct PortProxy {
  Port port;
  DtypeProxy dtype;
  RankProxy rank;
  ShapeProxy shape;
  FactRef fact;
  /// The constant value, when it is known and concrete.
  const Tensor* value() const;
  /// The same type: tensors of one dtype, sequences of one element type, …
  friend Equation type_equal(const PortProxy& a, const PortProxy& b);
};
Equation type_equal(const PortProxy& a, const PortProxy& b);

/// What an inference op sees of its node while the solver runs its rules: the facts, and `require`.
///
/// `rules()` is pure and is called again whenever a fact it can see has changed, so a plain `if`
/// stands for "given".
class Rules {
 public:
  using FactPointers = SmallVector<const InferenceFact*, 8>;

  /// Takes what is known before; null for missing inputs. The facts outlive the rules.
  Rules(std::string_view op, std::span<const InferenceFact* const> inputs,
        std::span<const InferenceFact* const> outputs);
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  std::size_t input_count() const { return inputs_; }
  std::size_t output_count() const { return facts_.size() - inputs_; }
  bool has_input(std::size_t i) const { return i < inputs_ && facts_[i]; }
  /// Throws: invalid_model when the input is missing.
  PortProxy input(std::size_t i, std::string_view name) const;
  PortProxy output(std::size_t i, std::string_view name) const;

  /// Makes both sides know what either knows. Throws: invalid_model with the equation and both
  /// sides.
  void require(const Equation& equation);
  void require(bool) = delete;

  /// What is known now.
  const InferenceFact& now(Port port) const { return *facts_[place_of(port)]; }
  /// Whether more may be known of it now than before.
  bool is_changed(Port port) const { return changed_[place_of(port)] != nullptr; }

 private:
  std::size_t place_of(Port port) const { return port.index + (port.is_output ? inputs_ : 0); }
  /// The fact, to be changed.
  InferenceFact& change(Port port);
  PortProxy proxy(Port port) const;
  void require_dtypes(const Equation& equation);
  void require_types(const Equation& equation);
  void require_ranks(const Equation& equation);
  void require_dims(const Equation& equation);
  void require_shapes(const Equation& equation);
  void set_dim(const Equation::Side& side, const Dim& dim);

  std::string_view op_;
  std::size_t inputs_;
  FactPointers facts_;  ///< of inputs, then of outputs
  SmallVector<InferenceFact*, 8> changed_;
  std::forward_list<InferenceFact> own_;  ///< the facts that are changed
};

}  // namespace strata::hir
