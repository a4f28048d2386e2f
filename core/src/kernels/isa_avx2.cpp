#include "kernels/impl/table.h"

namespace strata::kernels {

extern const KernelTable kAvx2Kernels;
constinit const KernelTable kAvx2Kernels = make_table();

}  // namespace strata::kernels
