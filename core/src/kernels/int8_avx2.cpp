#include "kernels/impl/int8_finish_row.h"
#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8ConvMethod kQuadsAvx2;
extern const Int8Products kQuadProductsAvx2;

namespace {
constexpr Int8Kernels make_avx2_kernels() {
  Int8Kernels out = make_int8_kernels<kQuadsAvx2>("avx2");
  out.quads = &kQuadProductsAvx2;
  return out;
}
}  // namespace

extern const Int8Kernels kInt8Avx2;
constinit const Int8Kernels kInt8Avx2 = make_avx2_kernels();

}  // namespace strata::kernels
