#pragma once

#include <memory>

namespace strata::detail {

/// Whether `handle` is the only one of its object, and what handles dropped on other threads did
/// with it is over: making a copy of a handle synchronises with their drop.
template <class T>
bool is_sole_owner(const std::shared_ptr<T>& handle) {
  const std::shared_ptr<T> copy = handle;  // NOLINT(performance-unnecessary-copy-initialization)
  return copy && copy.use_count() == 2;
}

}  // namespace strata::detail
