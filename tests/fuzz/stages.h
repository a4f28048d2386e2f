#pragma once

#include <cstdlib>
#include <iostream>
#include <new>

#include "strata/core/error.h"
#include "strata/core/transform.h"

namespace strata::testing {

/// What a file may make its host spend while many are tried.
inline Limits fuzz_limits() {
  return {.tensor_bytes = 1 << 24, .total_bytes = 1 << 26, .nodes = 1000, .fold_bytes = 1 << 20};
}

/// Takes what `load` gives through declutter and optimise. Any file may be refused, but by an error
/// that says so: one of kind internal is a mistake of ours, as a crash is.
template <class Load>
void try_stages(const Load& load) {
  try {
    TypedModel model = load();
    declutter(model, fuzz_limits());
    optimise(model, Target{}, fuzz_limits());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal) return;
    std::cerr << error.what() << '\n';
    std::abort();
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace strata::testing
