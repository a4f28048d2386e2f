#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strata/core/tensor.h"

/// Tensors whose elements are computed when they are first read: weights that kernels want in
/// another order. A session is made without reading them, they are computed side by side where
/// there are threads, and those of a branch that is never taken are never computed.
namespace strata {

/// Rows of the leading axis, from `begin` to before `end`.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// How elements come about. The same key and the same sources give the same elements.
struct Recipe {
  std::string key;
  std::vector<Tensor> sources;  ///< let go of once the elements are there
  /// Writes the elements of some rows; of all, where `by_rows` is false.
  std::function<void(const std::vector<Tensor>& sources, RowRange rows, std::byte* to)> fill;
  bool by_rows = false;
  bool only_moves = false;  ///< each element is one of a source of the same type
};

/// What is made of constants from this size on is worth computing when it is read.
inline constexpr std::size_t kLaterBytes = 1 << 12;

/// A tensor of numbers made by `recipe` when it is first read, by whichever thread; what the recipe
/// throws reaches that reader, and the next one tries again.
Tensor deferred(DatumType type, Shape shape, Recipe recipe);

/// The recipe of a tensor whose elements are still to be computed; null for any other.
std::shared_ptr<const Recipe> recipe_of(const Tensor& tensor);
inline bool is_deferred(const Tensor& tensor) { return recipe_of(tensor) != nullptr; }

/// How many recipes run to compute a tensor: its own and those of its sources, again for each that
/// names them. 0 where it is computed.
std::size_t recipe_count(const Tensor& tensor);
/// What already takes so many is computed before more is made of it: running recipes, comparing
/// them and letting go of them recurses from source to source.
inline constexpr std::size_t kMostRecipes = 256;

/// A number that tensors of the same elements surely share when they are deferred in the same way;
/// computes nothing.
std::size_t recipe_hash(const Tensor& tensor);
/// Whether two deferred tensors have the same elements because their recipes are the same.
bool has_same_recipe(const Tensor& a, const Tensor& b);

/// The bytes of a tensor where they lie now, whether or not they are aligned for its type, and what
/// keeps them there. To be read as bytes.
struct StoredBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};
StoredBytes stored_bytes(const Tensor& tensor);

/// Copies rows of a tensor of whole bytes a row, and computes no others where its recipe goes by
/// rows.
void copy_rows(const Tensor& tensor, RowRange rows, std::byte* to);

}  // namespace strata
