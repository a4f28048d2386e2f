#include "kernels/int8.h"

#include <array>

#include "strata/core/cpu.h"

#if defined(STRATA_X86_KERNELS)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace strata::kernels {

extern const Int8Kernels kInt8Baseline;

#if defined(STRATA_X86_KERNELS)

extern const Int8Kernels kInt8Avx2;
extern const Int8Kernels kInt8AvxVnni;
extern const Int8Kernels kInt8Avx512;
extern const Int8Kernels kInt8Avx512Vnni;
extern const Int8Kernels kInt8Amx;

namespace {

/// Which of the instructions that multiply bytes this CPU has.
struct ByteProducts {
  bool avx = false;
  bool avx512 = false;
};

ByteProducts detect() {
  constexpr unsigned avx512_vnni = 1u << 11;  // of ecx, leaf 7
  constexpr unsigned avx_vnni = 1u << 4;      // of eax, leaf 7 subleaf 1
  ByteProducts out;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return out;
  const unsigned subleaves = a;
  out.avx512 = (c & avx512_vnni) != 0;
  if (subleaves > 0 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) out.avx = (a & avx_vnni) != 0;
  return out;
}

/// Whether Linux lets this process use the registers of AMX, which it does for who asks. So it is
/// asked when bytes are first multiplied.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long ask = 0x1023, tiles = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool may = syscall(SYS_arch_prctl, ask, tiles) == 0;
  return may;
#else
  return false;
#endif
}

const ByteProducts& byte_products() {
  static const ByteProducts found = detect();
  return found;
}

}  // namespace

const Int8Kernels& int8_kernels(Isa isa) noexcept {
  const ByteProducts& has = byte_products();
  if (isa == Isa::amx && may_use_tiles()) return kInt8Amx;
  if (isa >= Isa::avx512) return has.avx512 ? kInt8Avx512Vnni : kInt8Avx512;
  if (isa == Isa::avx2_fma) return has.avx ? kInt8AvxVnni : kInt8Avx2;
  return kInt8Baseline;
}

std::span<const Int8Kernels* const> supported_int8_kernels() noexcept {
  static std::array<const Int8Kernels*, 6> all;
  static const std::size_t count = [] {
    const ByteProducts& has = byte_products();
    const Isa best = best_isa();
    std::size_t n = 0;
    all[n++] = &kInt8Baseline;
    if (best >= Isa::avx2_fma) all[n++] = &kInt8Avx2;
    if (best >= Isa::avx2_fma && has.avx) all[n++] = &kInt8AvxVnni;
    if (best >= Isa::avx512) all[n++] = &kInt8Avx512;
    if (best >= Isa::avx512 && has.avx512) all[n++] = &kInt8Avx512Vnni;
    if (best >= Isa::amx && may_use_tiles()) all[n++] = &kInt8Amx;
    return n;
  }();
  return std::span(all).first(count);
}

#else

const Int8Kernels& int8_kernels(Isa) noexcept { return kInt8Baseline; }

std::span<const Int8Kernels* const> supported_int8_kernels() noexcept {
  static const std::array<const Int8Kernels*, 1> all{&kInt8Baseline};
  return all;
}

#endif

}  // namespace strata::kernels
