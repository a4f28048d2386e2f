#include "strata/core/attributes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>

#include "strata/core/hash_index.h"
#include "strata/core/typed_model.h"

namespace strata {
namespace {

constexpr std::size_t kShownItems = 8;

template <class T>
std::string list_text(const std::vector<T>& items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size() && i < kShownItems; ++i) {
    if (i) out += ',';
    append_text(out, items[i]);
  }
  if (items.size() > kShownItems) out += cat(",… ", items.size(), " in all");
  return out + "]";
}

struct Hash {
  std::size_t operator()(std::monostate) const { return 0; }
  std::size_t operator()(const Dim& dim) const { return dim.hash(); }
  std::size_t operator()(const Tensor& tensor) const { return tensor.hash(); }
  std::size_t operator()(const Value& value) const {
    if (value.is_tensor()) return value.tensor().hash();
    const ValueType type = value.type();
    std::size_t seed = name_hash(type.to_string());
    if (type.kind == ValueType::Kind::sequence)
      for (const Value& item : value.sequence().items) seed = mixed_hash(seed, (*this)(item));
    else if (const auto& held = value.optional().value)
      seed = mixed_hash(seed, (*this)(*held));
    return seed;
  }
  std::size_t operator()(DatumType type) const { return static_cast<std::size_t>(type); }
  std::size_t operator()(const std::string& text) const { return name_hash(text); }
  template <class T>
  std::size_t operator()(const std::vector<T>& items) const {
    std::size_t seed = items.size();
    for (const T& item : items) seed = mixed_hash(seed, (*this)(item));
    return seed;
  }
  template <class T>
  std::size_t operator()(const T& value) const {
    return std::hash<T>{}(value);
  }
};

/// Unlike ==, tells -0 from 0, and NaN is itself.
bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

struct Text {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const Body& body) const {
    return body ? cat('{', body->live_nodes(), " nodes}") : "{}";
  }
  std::string operator()(const std::string& text) const { return in_quotes(text); }
  std::string operator()(const std::vector<std::string>& texts) const {
    std::vector<std::string> shown;
    shown.reserve(texts.size());
    for (const auto& text : texts) shown.push_back(in_quotes(text, 24));
    return list_text(shown);
  }
  template <class T>
  std::string operator()(const std::vector<T>& items) const {
    return list_text(items);
  }
  template <class T>
  std::string operator()(const T& value) const {
    return cat(value);
  }
};

}  // namespace

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue&) = default;
AttrValue::AttrValue(AttrValue&&) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue&) = default;
AttrValue& AttrValue::operator=(AttrValue&&) noexcept = default;
AttrValue::~AttrValue() = default;

std::string_view name_of(Enumerators all, std::int64_t value) {
  const auto at = std::ranges::find(all, value, &Enumerator::value);
  require(at != all.end(), ErrorKind::internal, "an enumerator has no name");
  return at->name;
}

std::int64_t value_of(Enumerators all, std::string_view name, std::string_view what) {
  const auto at = std::ranges::find(all, name, &Enumerator::name);
  if (at != all.end()) return at->value;
  std::string names;
  for (const Enumerator& each : all) names += cat(names.empty() ? "" : ", ", each.name);
  fail(ErrorKind::invalid_model, what, " is ", in_quotes(name), "; there are ", names);
}

AttrValue to_attr(std::string_view v) { return std::string(v); }

namespace detail {

AttrList read_fields(std::span<const FieldToRead> fields) {
  AttrList out;
  out.reserve(fields.size());
  for (const FieldToRead& f : fields) out.push_back({f.name, f.read(f.field)});
  return out;
}

void set_fields(std::span<const FieldToSet> fields, const AttrList& values, std::string_view op) {
  for (const NamedAttr& given : values) {
    const auto named = std::find_if(fields.begin(), fields.end(),
                                    [&](const FieldToSet& f) { return f.name == given.name; });
    check(named != fields.end(), "op ", op, " has no attribute ", in_quotes(given.name));
    named->set(given.value, named->field);
  }
}

}  // namespace detail

bool attr_equal(const AttrValue& a, const AttrValue& b) {
  if (const double* x = std::get_if<double>(&a), *y = std::get_if<double>(&b); x && y)
    return is_same(*x, *y);
  using Numbers = std::vector<double>;
  if (const Numbers* x = std::get_if<Numbers>(&a), *y = std::get_if<Numbers>(&b); x && y)
    return std::ranges::equal(*x, *y, is_same);
  return a == b;
}
std::size_t attr_hash(const AttrValue& value) {
  return mixed_hash(value.index(), std::visit(Hash{}, value));
}
std::string attr_text(const AttrValue& value) { return std::visit(Text{}, value); }

}  // namespace strata
