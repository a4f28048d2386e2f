#pragma once

#include "strata/core/op_state.h"

namespace strata {

/// The state of an op that runs bodies, and keeps memory to run them in.
class BodyState : public OpState {
 public:
  /// Lets go of the memory; the next run takes it again.
  virtual void release_memory() = 0;
};

}  // namespace strata
