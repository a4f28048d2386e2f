#include "deferred_tensor.h"

#include <algorithm>
#include <cstring>

#include "strata/core/hash_index.h"
#include "tensor_storage.h"

namespace strata {

namespace detail {

/// What a tensor is made of.
struct TensorParts {
  static Tensor make(std::shared_ptr<Storage> storage, DatumType type, Shape shape) {
    return Tensor(std::move(storage), nullptr, type, std::move(shape));
  }
  static Storage* storage(const Tensor& tensor) { return tensor.storage_.get(); }
  static bool is_same(const Tensor& a, const Tensor& b) {
    return a.storage_ == b.storage_ && a.data_ == b.data_ && a.dtype_ == b.dtype_ &&
           a.shape_ == b.shape_;
  }
  /// The deferral of a tensor that is not computed yet.
  static Deferral* pending(const Tensor& tensor) {
    if (tensor.data_ || !tensor.storage_) return nullptr;
    Deferral* deferral = tensor.storage_->deferral.get();
    return deferral->ready.load(std::memory_order_acquire) ? nullptr : deferral;
  }
};

}  // namespace detail

namespace {

using detail::Deferral;
using Parts = detail::TensorParts;

/// Sources up to this size are told apart by their elements, others by where they lie.
constexpr std::size_t kCompared = 4096;

bool is_compared(const Tensor& source) {
  return source.byte_size() <= kCompared && !Parts::pending(source);
}

bool is_same_source(const Tensor& a, const Tensor& b) {
  return is_compared(a) && is_compared(b) ? a == b : has_same_recipe(a, b);
}

}  // namespace

Tensor deferred(DatumType type, Shape shape, Recipe recipe) {
  auto storage = std::make_shared<detail::Storage>();
  storage->kind = detail::Storage::Kind::deferred;
  storage->account = MemoryScope::current();
  storage->byte_count = detail::bytes_of(type, element_count(shape));
  storage->deferral = std::make_unique<Deferral>();
  storage->deferral->recipes = 1;
  for (const Tensor& source : recipe.sources) storage->deferral->recipes += recipe_count(source);
  storage->deferral->recipe = std::make_shared<const Recipe>(std::move(recipe));
  storage->deferral->rows = shape.empty() ? 1 : shape[0];
  return Parts::make(std::move(storage), type, std::move(shape));
}

std::shared_ptr<const Recipe> recipe_of(const Tensor& tensor) {
  Deferral* deferral = Parts::pending(tensor);
  if (!deferral) return nullptr;
  const std::scoped_lock lock(deferral->mutex);
  return deferral->recipe;
}

std::size_t recipe_count(const Tensor& tensor) {
  const Deferral* deferral = Parts::pending(tensor);
  return deferral ? deferral->recipes : 0;
}

std::size_t recipe_hash(const Tensor& tensor) {
  if (is_compared(tensor)) return tensor.hash();
  const auto recipe = recipe_of(tensor);
  if (!recipe) return std::hash<const void*>{}(Parts::storage(tensor));
  std::size_t seed = name_hash(recipe->key);
  for (const Tensor& source : recipe->sources) seed = mixed_hash(seed, recipe_hash(source));
  return seed;
}

bool has_same_recipe(const Tensor& a, const Tensor& b) {
  if (Parts::is_same(a, b)) return true;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  const auto one = recipe_of(a), other = recipe_of(b);
  return one && other && one->key == other->key &&
         std::equal(one->sources.begin(), one->sources.end(), other->sources.begin(),
                    other->sources.end(), is_same_source);
}

StoredBytes stored_bytes(const Tensor& tensor) {
  if (Deferral* deferral = Parts::pending(tensor); deferral && deferral->unaligned) {
    const std::scoped_lock lock(deferral->mutex);
    const detail::Storage* storage = Parts::storage(tensor);
    if (!deferral->ready.load(std::memory_order_relaxed))
      return {{deferral->unaligned, storage->byte_count}, storage->keep_alive};
  }
  return {tensor.bytes(), nullptr};
}

void copy_rows(const Tensor& tensor, RowRange rows, std::byte* to) {
  Deferral* deferral = Parts::pending(tensor);
  const bool has_rows = deferral && deferral->rows == tensor.shape()[0];  // it may be reshaped
  if (const auto recipe = has_rows ? recipe_of(tensor) : nullptr; recipe && recipe->by_rows)
    return recipe->fill(recipe->sources, rows, to);
  const StoredBytes stored = stored_bytes(tensor);
  const std::size_t row = stored.bytes.size() / static_cast<std::size_t>(tensor.shape()[0]);
  const auto begin = static_cast<std::size_t>(rows.begin), end = static_cast<std::size_t>(rows.end);
  std::memcpy(to, stored.bytes.data() + begin * row, (end - begin) * row);
}

}  // namespace strata
