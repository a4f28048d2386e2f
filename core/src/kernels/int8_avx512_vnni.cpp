#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8Kernels kInt8Avx512Vnni;
constinit const Int8Kernels kInt8Avx512Vnni = make_int8_kernels("avx512_vnni");

}  // namespace strata::kernels
