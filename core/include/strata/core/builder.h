#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/typed_model.h"

namespace strata {

/// Wires the core ops that a node of another format becomes, and names them after it.
class Builder {
 public:
  /// `name` must outlive the builder.
  Builder(Wiring& target, std::string_view name) : target_(target), name_(name) {}

  std::string_view name() const { return name_; }
  Wiring& target() { return target_; }
  SymbolScope& symbols() { return target_.symbols(); }
  /// Throws: invalid_model for an input that is left out: whoever asks for its fact requires it.
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

/// The name of an op that a node called `node` becomes: `node.conv`.
std::string part_name(std::string_view node, const TypedOp& op);

}  // namespace strata
