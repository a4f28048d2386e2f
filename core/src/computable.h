#pragma once

#include "strata/core/error.h"

namespace strata {

/// The result of `work`, an optional, a patch or a bool; empty if an expression of sizes becomes
/// too large, divides by 0 or leaves 64 bits.
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
