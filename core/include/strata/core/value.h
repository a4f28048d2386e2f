#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "strata/core/tensor.h"

namespace strata {

/// What a wire carries: `tensor(f32)`, `sequence(tensor(i64))`,
/// `optional(sequence(tensor(string)))`, …
struct ValueType {
  enum class Kind : std::uint8_t { tensor, sequence, optional };

  Kind kind = Kind::tensor;
  DatumType dtype = DatumType::f32;          ///< of a tensor
  std::shared_ptr<const ValueType> element;  ///< of a sequence or an optional

  static ValueType tensor(DatumType dtype) { return {Kind::tensor, dtype, nullptr}; }
  static ValueType sequence(ValueType element);
  static ValueType optional(ValueType element);

  bool operator==(const ValueType& other) const;
  std::string to_string() const;
};

class Value;

/// An ordered list of values of one type; the type is known even when it is empty.
struct Sequence {
  ValueType element;
  std::vector<Value> items;
};

/// A value that may be absent.
struct Optional {
  ValueType element;
  std::shared_ptr<const Value> value;  ///< null when absent
};

/// What flows along a wire at run time: a tensor, a sequence or an optional. Copies are cheap.
class Value {
 public:
  Value();
  Value(Tensor tensor);
  Value(MutableTensor&& tensor);
  Value(Sequence sequence);
  Value(Optional optional);
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  ValueType type() const;
  bool is_tensor() const { return std::holds_alternative<Tensor>(content_); }
  /// Each throws run_time when the value is of another kind.
  const Tensor& tensor() const;
  const Sequence& sequence() const;
  const Optional& optional() const;

  bool operator==(const Value& other) const;
  std::string to_string() const;

 private:
  std::variant<Tensor, std::shared_ptr<const Sequence>, Optional> content_;
};

using TensorList = std::vector<Tensor>;
using ValueList = std::vector<Value>;
using Tensors = std::span<const Tensor>;
using Values = std::span<const Value>;

}  // namespace strata
