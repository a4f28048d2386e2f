#include "item.h"

#include <algorithm>

namespace strata::opl {
namespace {

/// The leaves of nested arrays, and their shape; false where the arrays are ragged.
bool flatten(const Item& item, std::size_t depth, Shape& shape, std::vector<const Item*>& leaves) {
  const auto* list = item.get_if<Item::List>();
  if (list == nullptr) {
    leaves.push_back(&item);
    return depth == shape.size();
  }
  const auto length = static_cast<std::int64_t>(list->size());
  if (depth == shape.size()) {
    if (!leaves.empty()) return false;
    shape.push_back(length);
  } else if (shape[depth] != length) {
    return false;
  }
  return std::all_of(list->begin(), list->end(),
                     [&](const Item& inner) { return flatten(inner, depth + 1, shape, leaves); });
}

template <class T, class Convert>
Tensor tensor_of(const Shape& shape, const std::vector<const Item*>& leaves, Convert convert) {
  MutableTensor out(datum_type_of<T>, shape);
  std::transform(leaves.begin(), leaves.end(), out.as<T>().begin(),
                 [&](const Item* leaf) { return convert(*leaf); });
  return std::move(out).freeze();
}

bool is_integer(const Item& item) {
  const auto* number = item.get_if<Number>();
  return number && number->as_int64();
}

}  // namespace

std::optional<Dim> Item::as_dim() const {
  if (const auto* dim = get_if<Dim>()) return *dim;
  if (const auto* number = get_if<Number>())
    if (const auto value = number->as_int64()) return Dim(*value);
  return std::nullopt;
}

std::string_view describe(const Item& item) {
  constexpr std::string_view kNames[] = {"nothing", "a logical", "a number", "a string",
                                         "a size",  "a wire",    "a list"};
  return kNames[item.content.index()];
}

std::optional<Tensor> literal_tensor(const Item& item) {
  Shape shape;
  std::vector<const Item*> leaves;
  if (!flatten(item, 0, shape, leaves)) return std::nullopt;
  const auto all = [&](auto&& test) {
    return std::all_of(leaves.begin(), leaves.end(), [&](const Item* leaf) { return test(*leaf); });
  };
  if (all(is_integer))
    return tensor_of<std::int64_t>(
        shape, leaves, [](const Item& leaf) { return *leaf.get_if<Number>()->as_int64(); });
  if (all([](const Item& leaf) { return leaf.get_if<Number>() != nullptr; }))
    return tensor_of<float>(shape, leaves,
                            [](const Item& leaf) { return leaf.get_if<Number>()->as_float(); });
  if (all([](const Item& leaf) { return leaf.get_if<bool>() != nullptr; }))
    return tensor_of<bool>(shape, leaves, [](const Item& leaf) { return *leaf.get_if<bool>(); });
  if (all([](const Item& leaf) { return leaf.get_if<std::string>() != nullptr; }))
    return tensor_of<std::string>(shape, leaves,
                                  [](const Item& leaf) { return *leaf.get_if<std::string>(); });
  if (all([](const Item& leaf) { return leaf.as_dim().has_value(); }))
    return tensor_of<Dim>(shape, leaves, [](const Item& leaf) { return *leaf.as_dim(); });
  return std::nullopt;
}

}  // namespace strata::opl
