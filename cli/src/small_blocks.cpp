#include "small_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace strata::cli {
namespace {

constexpr std::size_t kUnit = 16;  ///< sizes are multiples of it, and blocks lie at such addresses
constexpr std::size_t kMostBytes = 512;
constexpr std::size_t kChunkBytes = std::size_t{1} << 16;  ///< of blocks of one size
constexpr std::size_t kChunks = std::size_t{1} << 12;

/// What a block holds while it is in a list.
struct FreeBlock {
  FreeBlock* next;
};

/// Blocks of one size that a thread has: those given back, and the rest of a chunk.
struct Stock {
  FreeBlock* free = nullptr;
  char* fresh = nullptr;
  char* end = nullptr;
};
constinit thread_local std::array<Stock, kMostBytes / kUnit + 1> stocks;

// Sanitizers look after each block themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnBlocks = false;
#else
constexpr bool kOwnBlocks = true;
#endif

// Blocks are asked for before the first constructor of a static object runs.
constinit std::atomic<char*> range = nullptr;
constinit std::atomic<std::size_t> taken_chunks = 0;
constinit std::array<std::uint8_t, kChunks> units_in_chunk{};  ///< of each of its blocks

/// The addresses of all chunks; null where the system has none.
char* range_start() {
  if (char* const known = range.load(std::memory_order_acquire)) return known;
  void* const made = mmap(nullptr, kChunks * kChunkBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  madvise(made, kChunks * kChunkBytes, MADV_NOHUGEPAGE);
  char* known = nullptr;
  if (range.compare_exchange_strong(known, static_cast<char*>(made))) return range.load();
  munmap(made, kChunks * kChunkBytes);
  return known;
}

/// Gives `stock` a chunk. Returns whether there was one.
bool refill(Stock& stock, std::size_t units) {
  char* const start = range_start();
  if (!start || taken_chunks.load(std::memory_order_relaxed) >= kChunks) return false;
  const std::size_t chunk = taken_chunks.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= kChunks) return false;
  units_in_chunk[chunk] = static_cast<std::uint8_t>(units);
  stock.fresh = start + chunk * kChunkBytes;
  stock.end = stock.fresh + kChunkBytes;
  return true;
}

}  // namespace

void* block_of(std::size_t bytes) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (!kOwnBlocks || bytes > kMostBytes) return std::malloc(bytes);
  const std::size_t units = (bytes + kUnit - 1) / kUnit;
  Stock& stock = stocks[units];
  if (FreeBlock* const block = stock.free) {
    stock.free = block->next;
    return block;
  }
  const auto rest = static_cast<std::size_t>(stock.end - stock.fresh);
  if (rest < units * kUnit && !refill(stock, units)) return std::malloc(units * kUnit);
  char* const block = stock.fresh;
  stock.fresh += units * kUnit;
  return block;
}

void give_back(void* block) noexcept {
  const auto start = reinterpret_cast<std::uintptr_t>(range.load(std::memory_order_relaxed));
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(block) - start;
  if (start == 0 || place >= kChunks * kChunkBytes) return std::free(block);
  Stock& stock = stocks[units_in_chunk[place / kChunkBytes]];
  stock.free = ::new (block) FreeBlock{stock.free};
}

}  // namespace strata::cli
