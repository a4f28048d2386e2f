#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "strata/core/value.h"

namespace strata {

class TypedModel;
/// The body of a control-flow op: shared, never changed once it is in an op.
using Body = std::shared_ptr<const TypedModel>;

/// An attribute's value in the one form that dump, JSON, hash and OPL read. Absent optionals are
/// monostate.
using AttrValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, DatumType,
                               Dim, Tensor, Value, Body, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>, std::vector<Dim>>;

struct NamedAttr {
  std::string_view name;
  AttrValue value;
};
using AttrList = std::vector<NamedAttr>;

/// One field of an op, as its `attributes()` lists it.
template <class Op, class T>
struct Attr {
  std::string_view name;
  T Op::*field;
};
template <class Op, class T>
constexpr Attr<Op, T> attr(std::string_view name, T Op::*field) {
  return {name, field};
}

/// An enum that may be an attribute: it has a constexpr `enumerators(E)` that lists values with
/// their names.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enumerators(e).begin()->second;
};

/// Conversions between the type of a field and AttrValue; a struct joins in by `AttrValue
/// to_attr(const T&)` and `void from_attr(const AttrValue&, T&)` beside it.
inline AttrValue to_attr(bool v) { return v; }
template <std::integral I>
requires(!std::same_as<I, bool>) AttrValue to_attr(I v) { return static_cast<std::int64_t>(v); }
template <std::floating_point F>
AttrValue to_attr(F v) {
  return static_cast<double>(v);
}
inline AttrValue to_attr(const std::string& v) { return v; }
inline AttrValue to_attr(DatumType v) { return v; }
inline AttrValue to_attr(const Dim& v) { return v; }
inline AttrValue to_attr(const Tensor& v) { return v; }
inline AttrValue to_attr(const Value& v) { return v; }
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
  for (const auto& [value, name] : enumerators(v))
    if (value == v) return std::string(name);
  fail(ErrorKind::internal, "an enumerator has no name");
}
template <class T>
AttrValue to_attr(const std::optional<T>& v) {
  return v ? to_attr(*v) : AttrValue{};
}

/// `value` as the alternative T. Throws: invalid_model when it is another.
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
  const auto& list = attr_as<std::vector<std::int64_t>>(a, "list of integers");
  v.assign(list.begin(), list.end());
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
  const auto& text = attr_as<std::string>(a, "name");
  for (const auto& [value, name] : enumerators(v))
    if (name == text) {
      v = value;
      return;
    }
  fail(ErrorKind::invalid_model,
       cat(in_quotes(text), " is none of the names this attribute may have"));
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

namespace detail {
/// Attribute I of Op, as its `attributes()` lists it: a constant, of which code need hold no copy.
template <class Op, std::size_t I>
inline constexpr auto attribute_at = std::get<I>(Op::attributes());

template <class Op, class Visit, std::size_t... I>
decltype(auto) visit_attributes(const Visit& visit, std::index_sequence<I...>) {
  return visit(attribute_at<Op, I>...);
}
/// Calls `visit` with all attributes of Op.
template <class Op, class Visit>
decltype(auto) visit_attributes(const Visit& visit) {
  constexpr std::size_t count = std::tuple_size_v<decltype(Op::attributes())>;
  return visit_attributes<Op>(visit, std::make_index_sequence<count>{});
}

/// A field of an op that is read as an attribute's value. That is rare, so ops share the code that does
/// it.
struct FieldToRead {
  std::string_view name;
  const void* field;
  AttrValue (*read)(const void* field);
};
/// A field of an op that is set from an attribute's value.
struct FieldToSet {
  std::string_view name;
  void* field;
  void (*set)(const AttrValue& value, void* field);
};
AttrList read_fields(std::span<const FieldToRead> fields);
void set_fields(std::span<const FieldToSet> fields, const AttrList& values, std::string_view op);

template <class T>
FieldToRead field_to_read(std::string_view name, const T& field) {
  return {name, &field, [](const void* f) { return to_attr(*static_cast<const T*>(f)); }};
}
template <class T>
FieldToSet field_to_set(std::string_view name, T& field) {
  return {name, &field,
          [](const AttrValue& value, void* f) { from_attr(value, *static_cast<T*>(f)); }};
}
}  // namespace detail

/// The fields of `op` with their values, in the order it declares them.
template <class Op>
AttrList attribute_values(const Op& op) {
  return detail::visit_attributes<Op>([&](const auto&... a) {
    const std::array<detail::FieldToRead, sizeof...(a)> fields{
        detail::field_to_read(a.name, op.*(a.field))...};
    return detail::read_fields(fields);
  });
}

namespace detail {
/// What is the same attribute whenever it is the same field, and is cheaper to compare as that.
template <class T>
concept PlainField =
    std::integral<T> || std::is_enum_v<T> || std::same_as<T, std::string> || std::same_as<T, Shape>;

template <class T>
bool fields_equal(const T& a, const T& b) {
  if constexpr (PlainField<T> || std::same_as<T, Value> || std::same_as<T, Tensor>)
    return a == b;
  else
    return attr_equal(to_attr(a), to_attr(b));
}
template <class T>
bool fields_equal(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? fields_equal(*a, *b) : a.has_value() == b.has_value();
}

template <class T>
std::size_t field_hash(const T& value) {
  if constexpr (std::same_as<T, Shape>) {
    std::size_t seed = value.size();
    for (const std::int64_t size : value)
      seed = seed * 1099511628211ULL + static_cast<std::size_t>(size);
    return seed;
  } else if constexpr (PlainField<T>) {
    return std::hash<T>{}(value);
  } else {
    return attr_hash(to_attr(value));
  }
}
template <class T>
std::size_t field_hash(const std::optional<T>& value) {
  return value ? field_hash(*value) + 1 : 0;
}
}  // namespace detail

/// Whether all attributes of two ops are the same.
template <class Op>
bool attributes_equal(const Op& a, const Op& b) {
  return detail::visit_attributes<Op>([&](const auto&... each) {
    return (detail::fields_equal(a.*(each.field), b.*(each.field)) && ...);
  });
}
/// A hash of all attributes; `seed` is told apart by it.
template <class Op>
std::size_t attributes_hash(const Op& op, std::size_t seed) {
  detail::visit_attributes<Op>([&](const auto&... each) {
    ((seed = seed * 1099511628211ULL + detail::field_hash(op.*(each.field))), ...);
  });
  return seed;
}

/// An op with the fields that `values` names; the others keep their defaults.
/// Throws: invalid_model for a name the op does not have or a value of another type.
template <class Op>
Op op_from_attributes(const AttrList& values) {
  Op op{};
  detail::visit_attributes<Op>([&](const auto&... a) {
    const std::array<detail::FieldToSet, sizeof...(a)> fields{
        detail::field_to_set(a.name, op.*(a.field))...};
    detail::set_fields(fields, values, Op::name);
  });
  return op;
}

}  // namespace strata
