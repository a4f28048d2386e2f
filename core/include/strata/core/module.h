#pragma once

namespace strata {

/// Loads a module, a shared library that lies beside the program or where the program says
/// (RUNPATH), and calls `function` in it, which takes no arguments and returns a pointer. Null
/// when the module or the function cannot be found. A module stays loaded.
const void* call_module(const char* file, const char* function);

}  // namespace strata
