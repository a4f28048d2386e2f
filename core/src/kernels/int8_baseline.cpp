#include "kernels/impl/int8_finish_row.h"
#include "kernels/impl/int8_table.h"

namespace strata::kernels {

extern const Int8Kernels kInt8Baseline;
constinit const Int8Kernels kInt8Baseline = make_int8_kernels("baseline");

}  // namespace strata::kernels
