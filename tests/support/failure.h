#pragma once

#include <doctest/doctest.h>

#include "strata/core/error.h"

namespace strata::tests {

/// The kind of the error that `action` fails with; it must fail.
template <class Action>
ErrorKind kind_of_failure(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  FAIL("nothing was thrown");
  return ErrorKind::internal;
}

}  // namespace strata::tests
