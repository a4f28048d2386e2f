#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/hir/inference_fact.h"

namespace strata::hir {

class Rules;

/// An input or output of the node whose rules are being run.
struct Port {
  bool is_output = false;
  std::size_t index = 0;
};

/// An equation between what is known of ports; made by `==` on proxies, applied by Rules::require.
struct Equation {
  enum class Part { dtype, rank, dim, shape, type };
  Part part = Part::dtype;
  std::string text;                                        ///< as it is shown when it does not hold
  std::vector<std::pair<Port, std::int64_t>> left, right;  ///< ports; for dims with the axis
  std::int64_t offset = 0;            ///< ranks: sum(left) == sum(right) + offset
  std::optional<DatumType> dtype;     ///< right side, when it is a constant
  std::optional<Dim> dim;             ///< right side, when it is a constant
  std::optional<PartialShape> shape;  ///< right side, when it is a constant
};

/// The element type of a port.
struct DtypeProxy {
  Port port;
  const InferenceFact* fact;
  std::optional<DatumType> known() const { return fact->dtype; }
  friend Equation operator==(const DtypeProxy& a, const DtypeProxy& b);
  friend Equation operator==(const DtypeProxy& a, DatumType b);
};

/// A sum of ranks and an integer.
struct RankProxy {
  std::vector<Port> ports;
  std::int64_t offset = 0;
  const InferenceFact* fact = nullptr;  ///< of a single port
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
  const InferenceFact* fact;
  std::optional<Dim> known() const;
  friend Equation operator==(const DimProxy& a, const DimProxy& b);
  friend Equation operator==(const DimProxy& a, const Dim& b);
};

struct ShapeProxy {
  Port port;
  const InferenceFact* fact;
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
  const InferenceFact* fact;
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
  Rules(std::string_view op, std::vector<InferenceFact> inputs, std::vector<InferenceFact> outputs,
        std::vector<bool> present);

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  bool has_input(std::size_t i) const { return i < present_.size() && present_[i]; }
  /// Throws: invalid_model when the input is missing.
  PortProxy input(std::size_t i, std::string_view name) const;
  PortProxy output(std::size_t i, std::string_view name) const;

  /// Makes both sides know what either knows. Throws: invalid_model with the equation and both
  /// sides.
  void require(const Equation& equation);
  void require(bool) = delete;

  const std::vector<InferenceFact>& input_facts() const { return inputs_; }
  const std::vector<InferenceFact>& output_facts() const { return outputs_; }

 private:
  InferenceFact& at(Port port) {
    return port.is_output ? outputs_[port.index] : inputs_[port.index];
  }
  PortProxy proxy(Port port) const;
  void require_ranks(const Equation& equation);
  void require_dims(const Equation& equation);

  std::string_view op_;
  std::vector<InferenceFact> inputs_;
  std::vector<InferenceFact> outputs_;
  std::vector<bool> present_;
};

}  // namespace strata::hir
