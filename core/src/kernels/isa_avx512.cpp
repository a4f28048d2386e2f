#include "kernels/impl/table.h"

namespace strata::kernels {

extern const KernelTable kAvx512Kernels;
constinit const KernelTable kAvx512Kernels = make_table();

}  // namespace strata::kernels
