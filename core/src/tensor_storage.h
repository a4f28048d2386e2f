#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "deferred_tensor.h"
#include "memory_account.h"
#include "strata/core/datum_type.h"

namespace strata::detail {

/// What storage without memory of its own becomes, once somebody reads it.
struct Deferral {
  std::atomic<const std::byte*> ready{nullptr};  ///< the memory, once it is there
  std::mutex mutex;                      ///< guards the recipe, and keep_alive of the storage
  std::shared_ptr<const Recipe> recipe;  ///< null once its work is done
  std::int64_t rows = 0;                 ///< that the recipe has
  std::size_t recipes = 0;               ///< this one and those of its sources
  const std::byte* unaligned = nullptr;  ///< borrowed memory to be copied; else the recipe tells
};

/// Memory behind tensors, freed (its string or Dim objects destroyed first) with the last handle
/// onto it.
struct Storage {
  enum class Kind : std::uint8_t { owned, borrowed, deferred };

  Storage() = default;
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::byte* data = nullptr;
  std::size_t byte_count = 0;
  Kind kind = Kind::borrowed;
  bool is_within = false;          ///< the memory lies in the object itself
  DatumType type = DatumType::u8;  ///< string or dim when objects live in the memory
  std::int64_t objects = 0;        ///< how many do
  std::shared_ptr<MemoryScope::Account> account;
  std::shared_ptr<const void> keep_alive;  ///< of borrowed memory
  std::unique_ptr<Deferral> deferral;      ///< of deferred storage
};

/// The memory of deferred storage, which is made now unless somebody has read it before.
const std::byte* computed(Storage& storage);

/// Fresh memory for `count` elements that take `bytes`, 64-byte aligned; strings are empty and dims
/// 0. Throws: limit when the memory scope or the machine refuses.
std::shared_ptr<Storage> allocate(Storage::Kind kind, DatumType type, std::int64_t count,
                                  std::size_t bytes);

/// Fresh memory for many tensors, 64-byte aligned. Throws: limit as above.
std::shared_ptr<Storage> allocate_block(std::size_t bytes);

/// Whether elements are objects of C++ rather than plain bits: strings and dims.
inline bool holds_objects(DatumType type) { return bit_width(type) == 0; }

/// Bytes at a multiple of which an element lies, or the first of a packed type. Not for objects.
std::size_t alignment_of(DatumType type);

/// Bytes that `count` elements take. Throws: invalid_model when they leave int64.
std::size_t bytes_of(DatumType type, std::int64_t count);

}  // namespace strata::detail
