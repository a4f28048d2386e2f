#pragma once

namespace strata {

/// Loads a module, a shared library that lies beside the program or where the program says
/// (RUNPATH), and calls its function of that name, which takes nothing and gives a pointer. Null
/// when the module or the function cannot be had. A module stays loaded.
const void* call_module(const char* file, const char* function);

}  // namespace strata
