#include "kernels/impl/int8_finish_row.h"
#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8ConvMethod kQuadsAvx2;
extern const Int8Kernels kInt8Avx2;
constinit const Int8Kernels kInt8Avx2 = make_int8_kernels<kQuadsAvx2>("avx2");

}  // namespace strata::kernels
