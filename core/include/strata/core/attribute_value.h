#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strata/core/value.h"

namespace strata {

class TypedModel;
/// The body of a control-flow op: shared, never changed while it is in an op. Made as
/// make_shared<TypedModel>, so that a pass that becomes its only owner may change it in place.
using Body = std::shared_ptr<const TypedModel>;

/// An attribute's value in the one form that dump, JSON, hash and OPL read. Absent optionals are
/// monostate. A class of its own, so that copying and destroying its alternatives is compiled once.
class AttrValue
    : public std::variant<std::monostate, bool, std::int64_t, double, std::string, DatumType, Dim,
                          Tensor, Value, Body, std::vector<std::int64_t>, std::vector<double>,
                          std::vector<std::string>, std::vector<Dim>> {
 public:
  using variant::variant;
  AttrValue();
  AttrValue(const AttrValue&);
  AttrValue(AttrValue&&) noexcept;
  AttrValue& operator=(const AttrValue&);
  AttrValue& operator=(AttrValue&&) noexcept;
  ~AttrValue();
};

/// An enum that may be an attribute: it has a constexpr `enumerators(E)` that lists values with
/// their names.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enumerators(e).begin()->second;
};

struct Enumerator {
  std::int64_t value;
  std::string_view name;
};
using Enumerators = std::span<const Enumerator>;

/// The enumerators of E, in a form that does not depend on E.
template <NamedEnum E>
inline constexpr auto kEnumerators = [] {
  constexpr auto named = enumerators(E{});
  std::array<Enumerator, named.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = {static_cast<std::int64_t>(named[i].first), named[i].second};
  return out;
}();

/// Throws: internal when no enumerator has this value.
std::string_view name_of(Enumerators all, std::int64_t value);
/// Throws: invalid_model when none has this name; the error says that `what` has the unknown name.
std::int64_t value_of(Enumerators all, std::string_view name, std::string_view what);

/// The enumerator's name; names of rows are written nowhere else.
template <NamedEnum E>
std::string_view name_of(E value) {
  return name_of(kEnumerators<E>, static_cast<std::int64_t>(value));
}

/// Conversions between the type of a field and AttrValue; a struct joins in by declaring
/// `AttrValue to_attr(const T&)` and `void from_attr(const AttrValue&, T&)` beside it.
inline AttrValue to_attr(bool v) { return v; }
template <std::integral I>
requires(!std::same_as<I, bool>) AttrValue to_attr(I v) { return static_cast<std::int64_t>(v); }
template <std::floating_point F>
AttrValue to_attr(F v) {
  return static_cast<double>(v);
}
inline AttrValue to_attr(const std::string& v) { return v; }
AttrValue to_attr(std::string_view v);
inline AttrValue to_attr(DatumType v) { return v; }
inline AttrValue to_attr(const Dim& v) { return v; }
inline AttrValue to_attr(const Tensor& v) { return v; }
inline AttrValue to_attr(const Value& v) { return v; }
inline AttrValue to_attr(const std::shared_ptr<const Value>& v) { return *v; }
inline AttrValue to_attr(const Body& v) { return v; }
inline AttrValue to_attr(const Shape& v) { return std::vector<std::int64_t>(v.begin(), v.end()); }
inline AttrValue to_attr(const std::vector<Dim>& v) { return v; }
inline AttrValue to_attr(const std::vector<std::string>& v) { return v; }
template <std::integral I>
AttrValue to_attr(const std::vector<I>& v) {
  return std::vector<std::int64_t>(v.begin(), v.end());
}
template <std::floating_point F>
AttrValue to_attr(const std::vector<F>& v) {
  return std::vector<double>(v.begin(), v.end());
}
template <NamedEnum E>
AttrValue to_attr(E v) {
  return to_attr(name_of(v));
}
template <class T>
AttrValue to_attr(const std::optional<T>& v) {
  return v ? to_attr(*v) : AttrValue{};
}

/// `value` as the alternative T. Throws: invalid_model when it holds another.
template <class T>
const T& attr_as(const AttrValue& value, std::string_view wanted) {
  const T* held = std::get_if<T>(&value);
  check(held != nullptr, "an attribute is no ", wanted);
  return *held;
}

inline void from_attr(const AttrValue& a, bool& v) { v = attr_as<bool>(a, "bool"); }
template <std::integral I>
requires(!std::same_as<I, bool>) void from_attr(const AttrValue& a, I& v) {
  const std::int64_t wide = attr_as<std::int64_t>(a, "integer");
  v = static_cast<I>(wide);
  check(std::cmp_equal(v, wide), "the attribute ", wide, " is out of range");
}
template <std::floating_point F>
void from_attr(const AttrValue& a, F& v) {
  if (const auto* i = std::get_if<std::int64_t>(&a))
    v = static_cast<F>(*i);
  else
    v = static_cast<F>(attr_as<double>(a, "number"));
}
inline void from_attr(const AttrValue& a, std::string& v) { v = attr_as<std::string>(a, "string"); }
inline void from_attr(const AttrValue& a, DatumType& v) {
  if (const auto* text = std::get_if<std::string>(&a)) {
    const auto parsed = parse_datum_type(*text);
    check(parsed.has_value(), in_quotes(*text), " is no element type");
    v = *parsed;
  } else {
    v = attr_as<DatumType>(a, "element type");
  }
}
inline void from_attr(const AttrValue& a, Dim& v) {
  if (const auto* i = std::get_if<std::int64_t>(&a))
    v = *i;
  else
    v = attr_as<Dim>(a, "dim");
}
inline void from_attr(const AttrValue& a, Tensor& v) { v = attr_as<Tensor>(a, "tensor"); }
inline void from_attr(const AttrValue& a, Value& v) { v = attr_as<Value>(a, "value"); }
inline void from_attr(const AttrValue& a, std::shared_ptr<const Value>& v) {
  v = std::make_shared<const Value>(attr_as<Value>(a, "value"));
}
inline void from_attr(const AttrValue& a, Body& v) { v = attr_as<Body>(a, "body"); }
inline void from_attr(const AttrValue& a, Shape& v) {
  const auto& list = attr_as<std::vector<std::int64_t>>(a, "list of integers");
  v = Shape(list.begin(), list.end());
}
inline void from_attr(const AttrValue& a, std::vector<std::string>& v) {
  if (const auto* empty = std::get_if<std::vector<std::int64_t>>(&a); empty && empty->empty())
    v.clear();
  else
    v = attr_as<std::vector<std::string>>(a, "list of strings");
}
inline void from_attr(const AttrValue& a, std::vector<Dim>& v) {
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&a))
    v.assign(list->begin(), list->end());
  else
    v = attr_as<std::vector<Dim>>(a, "list of dims");
}
template <std::integral I>
void from_attr(const AttrValue& a, std::vector<I>& v) {
  v.clear();
  for (const std::int64_t each : attr_as<std::vector<std::int64_t>>(a, "list of integers"))
    from_attr(AttrValue(each), v.emplace_back());
}
template <std::floating_point F>
void from_attr(const AttrValue& a, std::vector<F>& v) {
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&a)) {
    v.assign(list->begin(), list->end());
  } else {
    const auto& numbers = attr_as<std::vector<double>>(a, "list of numbers");
    v.assign(numbers.begin(), numbers.end());
  }
}
template <NamedEnum E>
void from_attr(const AttrValue& a, E& v) {
  const auto& name = attr_as<std::string>(a, "name");
  v = static_cast<E>(value_of(kEnumerators<E>, name, "an attribute"));
}
template <class T>
void from_attr(const AttrValue& a, std::optional<T>& v) {
  if (std::holds_alternative<std::monostate>(a)) {
    v.reset();
  } else {
    T inner{};
    from_attr(a, inner);
    v = std::move(inner);
  }
}

bool attr_equal(const AttrValue& a, const AttrValue& b);
std::size_t attr_hash(const AttrValue& value);
/// A short text for dumps: tensors summarised, bodies as `{12 nodes}`.
std::string attr_text(const AttrValue& value);

}  // namespace strata
