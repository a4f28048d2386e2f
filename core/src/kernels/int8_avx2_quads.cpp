/// Products of convolutions of bytes that multiply four at once.
#define STRATA_BYTE_QUADS
#include "kernels/impl/int8_quads.h"

namespace strata::kernels {

extern const Int8ConvMethod kQuadsAvx2;
constinit const Int8ConvMethod kQuadsAvx2 = make_quads_method();

}  // namespace strata::kernels
