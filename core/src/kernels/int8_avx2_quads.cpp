/// Products of bytes that multiply four at once.
#define STRATA_BYTE_QUADS
#include "kernels/impl/int8_quad_product.h"

namespace strata::kernels {

extern const Int8ConvMethod kQuadsAvx2;
constinit const Int8ConvMethod kQuadsAvx2 = make_quads_method();

extern const Int8Products kQuadProductsAvx2;
constinit const Int8Products kQuadProductsAvx2 = make_quad_products("avx2_quads");

}  // namespace strata::kernels
