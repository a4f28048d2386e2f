#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata::hir {

/// Where an inference op puts the core ops it expands into, named after the ONNX node.
class Builder {
 public:
  /// `name` outlives the builder.
  Builder(Wiring& target, std::string_view name) : target_(target), name_(name) {}

  std::string_view name() const { return name_; }
  Wiring& target() { return target_; }
  SymbolScope& symbols() { return target_.symbols(); }
  /// Throws: invalid_model for an input that is left out, which the reader cannot do without.
  const Fact& fact(OutletId wire) const;
  /// The rank, or nothing for an open shape.
  std::optional<std::size_t> rank(OutletId wire) const;

  /// Throws: what the op's checks throw; invalid_model for an input that is left out.
  OutletIds wire(TypedOp op, const OutletIds& inputs);
  /// For an op with one output.
  OutletId one(TypedOp op, const OutletIds& inputs);

  OutletId constant(Value value);
  OutletId constant(std::shared_ptr<const Value> value);
  /// An i64 vector.
  OutletId integers(std::initializer_list<std::int64_t> values);
  OutletId integers(const Shape& values);
  /// A scalar of type `dtype` (any numeric type) with this value.
  OutletId scalar(double value, DatumType dtype);

 private:
  Wiring& target_;
  std::string_view name_;
};

/// The name of an op that a node called `node` is expanded into: `node.conv`.
std::string part_name(std::string_view node, const TypedOp& op);

/// Whether input `i` is there: neither missing at the end nor left out.
inline bool has(const OutletIds& inputs, std::size_t i) {
  return i < inputs.size() && !inputs[i].is_absent();
}
/// The inputs without the absent ones at the end.
OutletIds without_trailing_absent(OutletIds inputs);

}  // namespace strata::hir
