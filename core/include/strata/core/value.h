#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// The items of a sequence. Copies share them, and appending to the copy with the most items copies
/// none, so that a loop can gather items one by one.
class SequenceItems {
 public:
  SequenceItems() = default;
  SequenceItems(std::vector<Value> items);
  SequenceItems(std::initializer_list<Value> items);
  SequenceItems(const SequenceItems&) = default;
  SequenceItems(SequenceItems&& other) noexcept { swap(other); }
  SequenceItems& operator=(SequenceItems other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const Value> span() const;
  const Value* begin() const;
  const Value* end() const;
  const Value& operator[](std::size_t place) const;
  bool operator==(const SequenceItems& other) const;

  void push_back(Value item);
  /// Before the item at `place`, which may be the size.
  void insert(std::size_t place, Value item);
  void erase(std::size_t place);

 private:
  struct Storage;
  void swap(SequenceItems& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(size_, other.size_);
  }

  std::shared_ptr<Storage> storage_;
  std::size_t size_ = 0;
};

/// An ordered list of values of one type; the type is known even when it is empty.
struct Sequence {
  ValueType element;
  SequenceItems items;
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

inline const Value* SequenceItems::begin() const { return span().data(); }
inline const Value* SequenceItems::end() const { return span().data() + size_; }
inline const Value& SequenceItems::operator[](std::size_t place) const { return span()[place]; }

using TensorList = std::vector<Tensor>;
using ValueList = std::vector<Value>;
using Tensors = std::span<const Tensor>;
using Values = std::span<const Value>;

}  // namespace strata
