#pragma once

#include <span>

#include "strata/core/kernel_io.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Told what the runs of a session do, node by node, on the thread that calls `run`: how profiles
/// are made. It must not throw, and what it does takes time from the run.
///
/// A node is one of the plan that runs: of the lowered model, or of what that becomes for the
/// shapes at hand. It lives as long as the session; ops that only give a value another shape are
/// not told.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// A node begins; all that its bodies do is told before it ends.
  virtual void begin(const TypedNode& node) = 0;
  /// The last node begun that had not ended yet has ended; not called when it fails. The views tell
  /// types and shapes; a value that is no tensor has no elements here.
  virtual void end(const TypedNode& node, std::span<const TensorView> inputs,
                   std::span<const MutableTensorView> outputs) = 0;
  /// The last loop begun that has not ended yet starts an iteration.
  virtual void iteration() = 0;
};

}  // namespace strata
