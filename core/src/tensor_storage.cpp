#include "tensor_storage.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "alignment.h"
#include "strata/core/dim.h"
#include "strata/core/error.h"

namespace strata::detail {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kWorthAHugePage = kHugePage / 4 * 3;  ///< the rest lies idle

/// Memory for at least `bytes`, or null. What fills huge pages, or the most of one, begins at one
/// and asks for them: large weights are then written and read without a fault and a look at a page
/// table for each 4 KB.
std::byte* aligned_memory(std::size_t bytes) {
  const std::size_t huge_pages = bytes / kHugePage + (bytes % kHugePage >= kWorthAHugePage ? 1 : 0);
  const std::size_t alignment = huge_pages > 0 ? kHugePage : kAlignment;
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, rounded);
#if defined(MADV_HUGEPAGE)
  if (data != nullptr && huge_pages > 0)
    madvise(data, huge_pages * kHugePage, MADV_HUGEPAGE);  // a wish; memory is as good without
#endif
  return static_cast<std::byte*>(data);
}

void construct_objects(Storage& storage, std::int64_t count) {
  if (storage.type == DatumType::string) {
    std::uninitialized_value_construct_n(reinterpret_cast<std::string*>(storage.data), count);
  } else if (storage.type == DatumType::dim) {
    std::uninitialized_value_construct_n(reinterpret_cast<Dim*>(storage.data), count);
  } else {
    return;
  }
  storage.objects = count;
}

void destroy_objects(Storage& storage) {
  if (storage.type == DatumType::string) {
    std::destroy_n(reinterpret_cast<std::string*>(storage.data), storage.objects);
  } else if (storage.type == DatumType::dim) {
    std::destroy_n(reinterpret_cast<Dim*>(storage.data), storage.objects);
  }
}

}  // namespace

Storage::~Storage() {
  if (kind == Kind::borrowed || !data) return;
  destroy_objects(*this);
  if (!is_within) std::free(data);
  release(account.get(), static_cast<std::int64_t>(byte_count));
}

namespace {

/// Storage with room for a few bytes: a model has hundreds of such constants, and each then takes
/// one block of memory instead of two.
struct RoomyStorage : Storage {
  static constexpr std::size_t kRoom = 64;

  std::byte* aligned_room() {
    const auto place = reinterpret_cast<std::uintptr_t>(room);
    return room + (kAlignment - place % kAlignment) % kAlignment;
  }

  std::byte room[kRoom + kAlignment - 1];
};

/// Gives the storage its memory, charged to its account.
void give_memory(Storage& storage, MemoryUse use = MemoryUse::tensor) {
  charge(storage.account.get(), static_cast<std::int64_t>(storage.byte_count), use);
  storage.data = storage.is_within ? static_cast<RoomyStorage&>(storage).aligned_room()
                                   : aligned_memory(storage.byte_count);
  if (storage.data != nullptr) return;
  release(storage.account.get(), static_cast<std::int64_t>(storage.byte_count));
  fail(ErrorKind::limit, "no memory for ", storage.byte_count, " bytes");
}

}  // namespace

std::shared_ptr<Storage> allocate(Storage::Kind kind, DatumType type, std::int64_t count,
                                  std::size_t bytes) {
  const bool is_within = bytes <= RoomyStorage::kRoom;
  const std::shared_ptr<Storage> storage =
      is_within ? std::make_shared_for_overwrite<RoomyStorage>() : std::make_shared<Storage>();
  storage->is_within = is_within;
  storage->account = MemoryScope::current();
  storage->kind = kind;
  storage->byte_count = bytes;
  storage->type = type;
  give_memory(*storage);
  construct_objects(*storage, count);
  return storage;
}

std::shared_ptr<Storage> allocate_block(std::size_t bytes) {
  auto storage = std::make_shared<Storage>();
  storage->account = MemoryScope::current();
  storage->kind = Storage::Kind::owned;
  storage->byte_count = bytes;
  give_memory(*storage, MemoryUse::block);
  return storage;
}

const std::byte* computed(Storage& storage) {
  Deferral& deferral = *storage.deferral;
  if (const std::byte* ready = deferral.ready.load(std::memory_order_acquire)) return ready;
  const std::scoped_lock lock(deferral.mutex);
  if (const std::byte* ready = deferral.ready.load(std::memory_order_relaxed)) return ready;
  if (!storage.data) give_memory(storage);
  if (deferral.unaligned)
    std::memcpy(storage.data, deferral.unaligned, storage.byte_count);
  else
    deferral.recipe->fill(deferral.recipe->sources, {0, deferral.rows}, storage.data);
  deferral.recipe.reset();
  storage.keep_alive.reset();
  deferral.ready.store(storage.data, std::memory_order_release);
  return storage.data;
}

std::size_t alignment_of(DatumType type) {
  return visit_storage(is_packed(type) ? DatumType::u8 : type,
                       [](auto tag) { return alignof(typename decltype(tag)::type); });
}

std::size_t bytes_of(DatumType type, std::int64_t count) {
  std::int64_t bits = static_cast<std::int64_t>(bit_width(type));
  if (type == DatumType::string) bits = 8 * sizeof(std::string);
  if (type == DatumType::dim) bits = 8 * sizeof(Dim);
  std::int64_t bytes = 0;
  const bool overflows = bits >= 8 ? __builtin_mul_overflow(count, bits / 8, &bytes) : false;
  check(!overflows, count, " elements of type ", type, " take more bytes than int64 can count");
  if (bits < 8) {
    const std::int64_t per_byte = 8 / bits;
    bytes = count / per_byte + (count % per_byte != 0);
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace strata::detail
