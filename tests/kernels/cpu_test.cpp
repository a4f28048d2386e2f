#include "strata/core/cpu.h"

#include <doctest/doctest.h>

#include "kernels/int8.h"
#include "kernels/table.h"

namespace strata {

TEST_CASE("supported instruction sets run from baseline to the best") {
  CHECK(supported_isas().front() == Isa::baseline);
  CHECK(supported_isas().back() == best_isa());
}

#if defined(__x86_64__)
TEST_CASE("detection agrees with the compiler's run-time library") {
  CHECK((best_isa() >= Isa::avx2_fma) ==
        (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
  CHECK((best_isa() >= Isa::avx512) ==
        (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")));
}
#endif

TEST_CASE("an IsaLimit lowers the active instruction set while it lives") {
  CHECK(active_isa() == best_isa());
  {
    const IsaLimit outer(Isa::baseline);
    CHECK(active_isa() == Isa::baseline);
    const IsaLimit inner(Isa::amx);
    CHECK(active_isa() == Isa::baseline);
  }
  CHECK(active_isa() == best_isa());
}

TEST_CASE("instruction sets have the names that STRATA_ISA takes") {
  CHECK(parse_isa("sse2") == Isa::baseline);
  CHECK(parse_isa("avx2") == Isa::avx2_fma);
  CHECK(parse_isa("avx512") == Isa::avx512);
  CHECK(parse_isa("amx") == Isa::amx);
  CHECK(!parse_isa("AVX2"));
  CHECK(!parse_isa(""));
}

TEST_CASE("each instruction set of x86 has kernels of its own") {
#if defined(__x86_64__)
  CHECK(&kernels::kernels(Isa::baseline) != &kernels::kernels(Isa::avx2_fma));
  CHECK(&kernels::kernels(Isa::avx2_fma) != &kernels::kernels(Isa::avx512));
  // Where a CPU has tiles, Linux may still not let this process use them.
  if (best_isa() < Isa::amx)
    CHECK(&kernels::int8_kernels(Isa::avx512) == &kernels::int8_kernels(Isa::amx));
#endif
}

}  // namespace strata
