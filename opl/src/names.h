#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "strata/core/hash_index.h"

namespace strata::opl {

using NameSet = std::unordered_set<std::string, NameHash, std::equal_to<>>;
template <class Value>
using NameMap = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;

/// Names that are taken, of which there may be thousands like one.
class TakenNames {
 public:
  /// `wanted` or, when that is taken, the first of `wanted_1`, `wanted_2`, … that is not; it is
  /// taken from now on.
  std::string claim(std::string_view wanted);
  /// Takes a name, whether or not it is taken.
  void add(std::string name) { taken_.insert(std::move(name)); }

 private:
  NameSet taken_;
  NameMap<std::size_t> tried_;  ///< numbers that were tried behind a name
};

}  // namespace strata::opl
