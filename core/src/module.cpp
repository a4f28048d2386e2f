#include "strata/core/module.h"

#include <dlfcn.h>

namespace strata {

const void* call_module(const char* file, const char* function) {
  void* module = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!module) return nullptr;
  using Function = const void* (*)();
  const auto called = reinterpret_cast<Function>(::dlsym(module, function));
  return called ? called() : nullptr;
}

}  // namespace strata
