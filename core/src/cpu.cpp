#include "strata/core/cpu.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "strata/core/error.h"

namespace strata {
namespace {

#if defined(__x86_64__)

constexpr bool has_all(std::uint64_t bits, std::uint64_t wanted) {
  return (bits & wanted) == wanted;
}

/// The register sets the operating system saves on a context switch (XCR0).
std::uint64_t saved_state() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

Isa detect() {
  constexpr std::uint64_t avx_state = 0x6;       // XMM and YMM
  constexpr std::uint64_t avx512_state = 0xe6;   // and mask registers and ZMM
  constexpr std::uint64_t tile_state = 0x60000;  // tiles and their configuration
  constexpr std::uint32_t leaf1 = bit_FMA | bit_OSXSAVE | bit_AVX | bit_F16C;
  constexpr std::uint32_t leaf7 = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
  constexpr std::uint32_t vnni = 1u << 11;            // of ecx, leaf 7
  constexpr std::uint32_t amx = 1u << 24 | 1u << 25;  // of edx: tiles, and products of bytes
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, leaf1)) return Isa::baseline;
  const std::uint64_t state = saved_state();
  if (!has_all(state, avx_state)) return Isa::baseline;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, bit_AVX2)) return Isa::baseline;
  if (!has_all(b, leaf7) || !has_all(state, avx512_state)) return Isa::avx2_fma;
  return has_all(c, vnni) && has_all(d, amx) && has_all(state, tile_state) ? Isa::amx : Isa::avx512;
}

#else

Isa detect() { return Isa::baseline; }

#endif

Isa limit_of_environment() {
  const char* name = std::getenv("STRATA_ISA");
  if (!name || *name == '\0') return kAllIsas.back();
  const auto isa = parse_isa(name);
  require(isa.has_value(), ErrorKind::invalid_argument, "STRATA_ISA is ", in_quotes(name),
          ", expected sse2, avx2, avx512 or amx");
  return *isa;
}

std::atomic<Isa>& limit() {
  static std::atomic<Isa> value{limit_of_environment()};
  return value;
}

}  // namespace

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2_fma:
      return "avx2_fma";
    case Isa::avx512:
      return "avx512";
    case Isa::amx:
      return "amx";
  }
  return "unknown";
}

std::optional<Isa> parse_isa(std::string_view name) {
  if (name == "sse2" || name == "baseline") return Isa::baseline;
  if (name == "avx2") return Isa::avx2_fma;
  if (name == "avx512") return Isa::avx512;
  if (name == "amx") return Isa::amx;
  return std::nullopt;
}

Isa best_isa() noexcept {
  static const Isa best = detect();
  return best;
}

std::span<const Isa> supported_isas() noexcept {
  return std::span(kAllIsas).first(static_cast<std::size_t>(best_isa()) + 1);
}

Isa active_isa() { return std::min(best_isa(), limit().load(std::memory_order_relaxed)); }

IsaLimit::IsaLimit(Isa highest) : previous_(limit().load()) {
  limit().store(std::min(previous_, highest));
}

IsaLimit::~IsaLimit() { limit().store(previous_); }

}  // namespace strata
