#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace strata {

/// While it lives, and if asked to, this thread treats subnormal numbers as zero, in operands and
/// results; new threads inherit the mode of the thread that starts them. Has no effect on CPUs
/// other than x86-64 and AArch64.
class DenormalsAsZero {
 public:
  explicit DenormalsAsZero(bool is_wanted) : is_wanted_(is_wanted) {
    if (!is_wanted_) return;
    before_ = mode();
    set_mode(before_ | kFlush);
  }
  ~DenormalsAsZero() {
    if (is_wanted_) set_mode(before_);
  }
  DenormalsAsZero(const DenormalsAsZero&) = delete;
  DenormalsAsZero& operator=(const DenormalsAsZero&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t kFlush = 0x8040;  // FTZ and DAZ of MXCSR
  static std::uint64_t mode() { return _mm_getcsr(); }
  static void set_mode(std::uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;  // FZ of FPCR
  static std::uint64_t mode() {
    std::uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set_mode(std::uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
  static constexpr std::uint64_t kFlush = 0;
  static std::uint64_t mode() { return 0; }
  static void set_mode(std::uint64_t) {}
#endif

  bool is_wanted_;
  std::uint64_t before_ = 0;
};

}  // namespace strata
