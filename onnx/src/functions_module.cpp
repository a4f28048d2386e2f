#include "standard_functions.h"

/// What a program looks for in strata_functions.so.
extern "C" [[gnu::visibility("default")]] const void* strata_standard_functions() {
  return strata::onnx::libonnx_functions();
}
