#pragma once

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strata/core/hash_index.h"

namespace strata::onnx {

/// A name with its hash, which is worked out once however many maps it is looked up in.
struct HashedName {
  HashedName(std::string_view name) : text(name), hash(name_hash(name)) {}

  std::string_view text;
  std::size_t hash;
};

/// Values by name, in the order they came: what loading a graph looks up for every node. The names
/// outlive the map.
template <class Value>
class NameMap {
 public:
  using Entry = std::pair<std::string_view, Value>;

  void reserve(std::size_t count) {
    entries_.reserve(count);
    index_.reserve(count);
  }
  /// Null where there is no such name.
  const Value* find(HashedName name) const {
    const auto at = index_.find(name.hash, is_named(name.text));
    return at ? &entries_[*at].second : nullptr;
  }
  bool contains(HashedName name) const { return find(name) != nullptr; }
  /// Whether the name is new; else its value stays as it is.
  bool add(HashedName name, Value value = {}) {
    if (contains(name)) return false;
    index_.insert(name.hash, static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back(name.text, std::move(value));
    return true;
  }

  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  auto is_named(std::string_view name) const {
    return [this, name](std::uint32_t i) { return entries_[i].first == name; };
  }

  std::vector<Entry> entries_;
  HashIndex index_;
};

/// Names, each once.
using NameSet = NameMap<std::monostate>;

}  // namespace strata::onnx
