#pragma once

#include "strata/core/error.h"

namespace strata {

/// What `work` makes of sizes; nothing where an expression becomes too large, divides by 0 or
/// leaves 64 bits. It returns an optional, a patch or a bool.
template <class Work>
auto if_computable(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_model && error.kind() != ErrorKind::limit) throw;
    return {};
  }
}

}  // namespace strata
