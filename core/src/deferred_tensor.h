#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strata/core/tensor.h"

/// Tensors whose elements are computed when they are first read: weights that kernels need in
/// another order. A session is created without reading them, its threads compute them side by side,
/// and those of a branch that is never taken are never computed.
namespace strata {

/// Rows of the leading axis, from `begin` to before `end`.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// How to compute elements. The same key and the same sources give the same elements.
struct Recipe {
  std::string key;
  std::vector<Tensor> sources;  ///< let go of once the elements are there
  /// Writes the elements of some rows; of all, where `by_rows` is false.
  std::function<void(const std::vector<Tensor>& sources, RowRange rows, std::byte* to)> fill;
  bool by_rows = false;
  bool only_moves = false;  ///< each element is one of a source of the same type
};

/// From this size on, a tensor computed from constants is deferred until it is read.
inline constexpr std::size_t kLaterBytes = 1 << 12;

/// A tensor of numbers that `recipe` computes when any thread first reads it. An exception of the
/// recipe reaches that reader, and the next reader tries again.
Tensor deferred(DatumType type, Shape shape, Recipe recipe);

/// The recipe of a tensor whose elements are still to be computed; null for any other.
std::shared_ptr<const Recipe> recipe_of(const Tensor& tensor);
inline bool is_deferred(const Tensor& tensor) { return recipe_of(tensor) != nullptr; }

/// How many recipes run to compute a tensor: its own and those of its sources, again for each that
/// names them. 0 where it is computed.
std::size_t recipe_count(const Tensor& tensor);
/// A tensor of so many recipes is computed before others are derived from it, since running,
/// comparing and freeing recipes recurses from source to source.
inline constexpr std::size_t kMostRecipes = 256;

/// A hash that is equal for tensors with the same recipe; computes nothing.
std::size_t recipe_hash(const Tensor& tensor);
/// Whether two deferred tensors have the same elements because their recipes are the same.
bool has_same_recipe(const Tensor& a, const Tensor& b);

/// The bytes of a tensor where they are now, perhaps not aligned for its type, and their owner.
/// Read them as bytes.
struct StoredBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};
StoredBytes stored_bytes(const Tensor& tensor);

/// Copies rows of a tensor whose rows are whole bytes. Computes only these rows if its recipe works
/// by rows.
void copy_rows(const Tensor& tensor, RowRange rows, std::byte* to);

}  // namespace strata
