#include "standard_functions.h"

namespace strata::onnx {

const StandardFunctions* standard_functions() { return libonnx_functions(); }

}  // namespace strata::onnx
