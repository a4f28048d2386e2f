#include "kernels/impl/int8_finish_row.h"
#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8Kernels kInt8Avx512;
constinit const Int8Kernels kInt8Avx512 = make_int8_kernels("avx512");

}  // namespace strata::kernels
