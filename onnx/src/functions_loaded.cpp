#include "standard_functions.h"
#include "strata/core/module.h"

namespace strata::onnx {

const StandardFunctions* standard_functions() {
  static const void* functions = call_module("strata_functions.so", "strata_standard_functions");
  return static_cast<const StandardFunctions*>(functions);
}

}  // namespace strata::onnx
