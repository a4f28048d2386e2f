#include "support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

// Tensors take their memory from here.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept;

namespace {

std::atomic<std::size_t> count = 0;

void* counted(std::size_t size, std::size_t alignment) {
  if (alignment > alignof(std::max_align_t)) return aligned_alloc(alignment, size);
  ++count;
  return std::malloc(size);
}

void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = counted(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++count;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

std::size_t strata::tests::allocations() { return count; }

// Every form is replaced, so that what one allocates any other may free.
void* operator new(std::size_t size) { return counted_or_throw(size, 1); }
void* operator new[](std::size_t size) { return counted_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
