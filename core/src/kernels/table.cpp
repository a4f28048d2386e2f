#include "kernels/table.h"

#include "strata/core/cpu.h"

namespace strata::kernels {

extern const KernelTable kBaselineKernels;
#if defined(STRATA_X86_KERNELS)
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
#endif

const KernelTable& kernels(Isa isa) noexcept {
#if defined(STRATA_X86_KERNELS)
  if (isa >= Isa::avx512) return kAvx512Kernels;
  if (isa == Isa::avx2_fma) return kAvx2Kernels;
#else
  static_cast<void>(isa);
#endif
  return kBaselineKernels;
}

}  // namespace strata::kernels
