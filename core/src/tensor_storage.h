#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "memory_account.h"
#include "strata/core/datum_type.h"

namespace strata::detail {

/// Memory behind tensors, freed (its string or Dim objects destroyed first) with the last handle
/// onto it.
struct Storage {
  enum class Kind : std::uint8_t { owned, borrowed };

  Storage() = default;
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::byte* data = nullptr;
  std::size_t byte_count = 0;
  Kind kind = Kind::borrowed;
  DatumType type = DatumType::u8;  ///< string or dim when objects live in the memory
  std::int64_t objects = 0;        ///< how many do
  std::shared_ptr<MemoryScope::Account> account;
  std::shared_ptr<const void> keep_alive;  ///< of borrowed memory
};

/// Fresh memory for `count` elements that take `bytes`, 64-byte aligned; strings are empty and dims
/// 0. Throws: limit when the memory scope or the machine refuses.
std::shared_ptr<Storage> allocate(Storage::Kind kind, DatumType type, std::int64_t count,
                                  std::size_t bytes);

/// Bytes that `count` elements take. Throws: invalid_model when they leave int64.
std::size_t bytes_of(DatumType type, std::int64_t count);

}  // namespace strata::detail
