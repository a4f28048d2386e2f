#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8Kernels kInt8AvxVnni;
constinit const Int8Kernels kInt8AvxVnni = make_int8_kernels("avx_vnni");

}  // namespace strata::kernels
