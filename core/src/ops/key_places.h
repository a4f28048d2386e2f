#pragma once

#include <cstdint>
#include <vector>

#include "strata/core/hash_index.h"
#include "strata/core/tensor.h"

namespace strata {

/// Where in a vector of keys elements are: texts, or numbers, of which NaN is equal to itself.
class KeyPlaces {
 public:
  explicit KeyPlaces(const Tensor& keys);

  /// For each element of the keys' type its first place, or -1.
  std::vector<std::int64_t> of(const Tensor& data) const;

 private:
  template <class Key>
  void insert(std::span<const Key> keys);
  template <class Key>
  std::int64_t place_of(const Key& key, std::span<const Key> keys) const;

  Tensor texts_;
  std::vector<std::uint64_t> numbers_;
  HashIndex index_;
};

}  // namespace strata
