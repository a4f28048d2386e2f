#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace strata {

/// Instruction sets with kernels of their own, from the most common to the widest.
enum class Isa {
  baseline,  ///< what every CPU of the architecture has: SSE2, NEON, …
  avx2_fma,  ///< AVX2, FMA and F16C
  avx512,    ///< AVX-512 F, DQ, BW and VL
  amx,       ///< AVX-512 with VNNI, and AMX's tiles of bytes
};

inline constexpr std::array kAllIsas{Isa::baseline, Isa::avx2_fma, Isa::avx512, Isa::amx};

std::string_view to_string(Isa isa);

/// The widest instruction set that this CPU has and whose registers the operating system saves.
Isa best_isa() noexcept;

/// Every instruction set that can run here, `baseline` first.
std::span<const Isa> supported_isas() noexcept;

/// The set kernels are chosen for: `best_isa()`, or less where the environment's STRATA_ISA
/// (`sse2`, `avx2`, `avx512` or `amx`) says so or while an IsaLimit lives. Throws: invalid_argument
/// when STRATA_ISA is none of these.
Isa active_isa();
/// The instruction set that STRATA_ISA calls by this name; `sse2` means `baseline`.
std::optional<Isa> parse_isa(std::string_view name);

/// Keeps `active_isa()` at or below a set while it lives, for the whole process; meant for tests.
class IsaLimit {
 public:
  explicit IsaLimit(Isa highest);
  ~IsaLimit();
  IsaLimit(const IsaLimit&) = delete;
  IsaLimit& operator=(const IsaLimit&) = delete;

 private:
  Isa previous_;
};

}  // namespace strata
