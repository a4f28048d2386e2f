#include "allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> is_counting = false;  // for a count that all threads share costs what it counts
std::atomic<std::size_t> count = 0;

void note() {
  if (is_counting.load(std::memory_order_relaxed)) count.fetch_add(1, std::memory_order_relaxed);
}

void* allocated(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  note();
  return std::aligned_alloc(unit, (size + unit) / unit * unit);
}

}  // namespace

std::size_t strata::cli::allocations_in(const std::function<void()>& work) {
  count = 0;
  is_counting = true;
  work();
  is_counting = false;
  return count;
}

// Every form is replaced, so that what one allocates any other may free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  note();
  return std::malloc(size ? size : 1);
}
void* operator new(std::size_t size) { return allocated(operator new(size, std::nothrow)); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated(aligned(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocated(aligned(size, alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
