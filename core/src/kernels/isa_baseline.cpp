#include "kernels/impl/table.h"

namespace strata::kernels {

extern const KernelTable kBaselineKernels;
constinit const KernelTable kBaselineKernels = make_table();

}  // namespace strata::kernels
