#include "kernels/impl/int8_amx.h"

namespace strata::kernels {

extern const Int8Kernels kInt8Avx512Vnni;
constinit const Int8Kernels kInt8Avx512Vnni = make_int8_kernels(kVectorsName);

extern const Int8Kernels kInt8Amx;
constinit const Int8Kernels kInt8Amx = make_amx_kernels();

}  // namespace strata::kernels
