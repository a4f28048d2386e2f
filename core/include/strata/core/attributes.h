#pragma once

#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "strata/core/attribute_value.h"
#include "strata/core/hash_index.h"

namespace strata {

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

namespace detail {
/// Attribute I of Op, as its `attributes()` lists it: a constant, so that code need not copy it.
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

/// A field of an op that is read as an attribute's value. That is rare, so ops share the code that
/// does it.
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
/// A type of field that is equal just when the attribute is, and is cheaper to compare directly.
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
inline bool fields_equal(const std::shared_ptr<const Value>& a,
                         const std::shared_ptr<const Value>& b) {
  return a == b || *a == *b;
}
template <class T>
bool fields_equal(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? fields_equal(*a, *b) : a.has_value() == b.has_value();
}

template <class T>
std::size_t field_hash(const T& value) {
  if constexpr (std::same_as<T, Shape>) {
    std::size_t seed = value.size();
    for (const std::int64_t size : value) seed = mixed_hash(seed, static_cast<std::size_t>(size));
    return seed;
  } else if constexpr (std::same_as<T, std::string>) {
    return name_hash(value);
  } else if constexpr (PlainField<T>) {
    return static_cast<std::size_t>(value);
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
/// A hash of all attributes that starts from `seed`: other seeds give other hashes.
template <class Op>
std::size_t attributes_hash(const Op& op, std::size_t seed) {
  detail::visit_attributes<Op>([&](const auto&... each) {
    ((seed = mixed_hash(seed, detail::field_hash(op.*(each.field)))), ...);
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
