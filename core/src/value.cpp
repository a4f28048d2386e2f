#include "strata/core/value.h"

#include <utility>

namespace strata {

ValueType ValueType::sequence(ValueType element) {
  return {Kind::sequence, DatumType::f32, std::make_shared<const ValueType>(std::move(element))};
}

ValueType ValueType::optional(ValueType element) {
  return {Kind::optional, DatumType::f32, std::make_shared<const ValueType>(std::move(element))};
}

bool ValueType::operator==(const ValueType& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::tensor) return dtype == other.dtype;
  return *element == *other.element;
}

std::string ValueType::to_string() const {
  switch (kind) {
    case Kind::tensor:
      return cat("tensor(", dtype, ")");
    case Kind::sequence:
      return element ? cat("sequence(", *element, ")") : "sequence of no type";
    case Kind::optional:
      return element ? cat("optional(", *element, ")") : "optional of no type";
  }
  fail(ErrorKind::internal, "a value type of no kind");
}

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value::Value(Tensor tensor) : content_(std::move(tensor)) {}
Value::Value(MutableTensor&& tensor) : content_(std::move(tensor).freeze()) {}
Value::Value(Optional optional) : content_(std::move(optional)) {}
Value::Value(Sequence sequence) : content_(std::make_shared<const Sequence>(std::move(sequence))) {}

ValueType Value::type() const {
  if (is_tensor()) return ValueType::tensor(tensor().dtype());
  if (std::holds_alternative<Optional>(content_)) return ValueType::optional(optional().element);
  return ValueType::sequence(sequence().element);
}

const Tensor& Value::tensor() const {
  const auto* found = std::get_if<Tensor>(&content_);
  if (!found) fail(ErrorKind::run_time, "a tensor is wanted, ", type(), " is given");
  return *found;
}

const Sequence& Value::sequence() const {
  const auto* found = std::get_if<std::shared_ptr<const Sequence>>(&content_);
  if (!found) fail(ErrorKind::run_time, "a sequence is wanted, ", type(), " is given");
  require(*found != nullptr, ErrorKind::invalid_argument, "a sequence is used that was moved from");
  return **found;
}

const Optional& Value::optional() const {
  const auto* found = std::get_if<Optional>(&content_);
  if (!found) fail(ErrorKind::run_time, "an optional is wanted, ", type(), " is given");
  return *found;
}

bool Value::operator==(const Value& other) const {
  if (type() != other.type()) return false;
  if (is_tensor()) return tensor() == other.tensor();
  if (std::holds_alternative<Optional>(content_)) {
    const auto &a = optional().value, &b = other.optional().value;
    return a && b ? *a == *b : !a && !b;
  }
  return sequence().items == other.sequence().items;
}

std::string Value::to_string() const {
  if (is_tensor()) return tensor().to_string();
  if (std::holds_alternative<Optional>(content_)) {
    const Optional& maybe = optional();
    return maybe.value ? cat("some(", *maybe.value, ")") : cat("none(", maybe.element, ")");
  }
  constexpr std::size_t kShown = 4;
  const Sequence& list = sequence();
  std::string out = cat("sequence(", list.element, ") of ", list.items.size(), " [");
  for (std::size_t i = 0; i < list.items.size() && i < kShown; ++i) {
    out += cat(i ? "; " : "", list.items[i]);
  }
  return out + (list.items.size() > kShown ? "; …]" : "]");
}

}  // namespace strata
